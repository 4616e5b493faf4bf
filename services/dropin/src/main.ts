import { runProcess } from "@touchstone/service-kit";
import { readDropinConfig } from "./config.ts";
import { createDropin } from "./service.ts";

await runProcess({ name: "dropin", environment: process.env, read: readDropinConfig, create: createDropin });
