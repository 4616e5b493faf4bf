export { type MonitorConfig, readMonitorConfig } from "./config.ts";
export { createMonitor } from "./service.ts";
