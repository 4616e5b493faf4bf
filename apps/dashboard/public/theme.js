// Sets the theme before the first paint. `light` and `dark` are chosen by the user; anything else follows the system.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("touchstone.theme");
  } catch {
    // Storage may be refused; then the system decides.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
