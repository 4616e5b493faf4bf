/** Offers a text to be saved as a file of the reader's computer. */
export function saveFile({ name, mediaType, text }: { name: string; mediaType: string; text: string }): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
