/** Whether a signal ends nats-server; the others pause it, resume it, or make it read its files again. */
export function endsProcess(signal: NodeJS.Signals): boolean {
  return ["SIGKILL", "SIGTERM", "SIGINT", "SIGQUIT"].includes(signal);
}
