import { runProcess } from "@touchstone/service-kit";
import { readMonitorConfig } from "./config.ts";
import { createMonitor } from "./service.ts";

await runProcess({ name: "monitor", environment: process.env, read: readMonitorConfig, create: createMonitor });
