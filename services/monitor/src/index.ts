export { type MonitorConfig, readMonitorConfig } from "./config.ts";
export { createMonitor, type MonitorDependencies } from "./service.ts";
