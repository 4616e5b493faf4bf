import { useSession } from "./session.tsx";

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Without accounts anyone who can reach the address has access to the project; beyond this machine that should be
 * visible.
 */
export function OpenBanner() {
  const { config } = useSession();
  if (config.mode === "enabled" || loopback.test(window.location.hostname)) return null;
  return (
    <aside aria-label="Access" className="border-b border-warn bg-warn-ground px-4 py-1.5 md:px-6">
      Everybody who can reach this address can read and change this project: there are no accounts.{" "}
      <code>SERVICE_AUTH=enabled</code> adds them.
    </aside>
  );
}
