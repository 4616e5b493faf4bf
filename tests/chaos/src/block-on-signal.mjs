import { writeSync } from "node:fs";

// Loaded into a process before its own code: at SIGUSR2 it blocks the event loop for ever.
process.on("SIGUSR2", function blockForEver() {
  writeSync(2, "blocking the event loop\n");
  for (;;);
});
