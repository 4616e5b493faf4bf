let shown = 0;

/** Shows the progress of the load: one line that is overwritten, or every tenth where the output is not a terminal. */
export function showProgress(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[KLoading the sample project: ${line}`);
  else if (shown % 10 === 0) console.log(`Loading the sample project: ${line}`);
  shown += 1;
}

/** Ends the line. */
export function endProgress(summary: string): void {
  if (process.stdout.isTTY) process.stdout.write("\r\u001b[K");
  console.log(summary);
}
