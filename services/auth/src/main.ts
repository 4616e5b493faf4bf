import { runProcess } from "@touchstone/service-kit";
import { readAuthConfig } from "./config.ts";
import { createAuth } from "./service.ts";

await runProcess({ name: "auth", environment: process.env, read: readAuthConfig, create: createAuth });
