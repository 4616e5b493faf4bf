let shown = 0;

/** Shows how far the loading is: one line that is written over itself, or every tenth where the output is no terminal. */
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
