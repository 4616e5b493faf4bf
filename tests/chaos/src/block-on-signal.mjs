import { writeSync } from "node:fs";

// Loaded into a process before its own code: SIGUSR2 blocks the event loop permanently.
process.on("SIGUSR2", function blockForEver() {
  writeSync(2, "blocking the event loop\n");
  for (;;);
});
