import { runProcess } from "@touchstone/service-kit";
import { migrator } from "@touchstone/store-service";
import { readAuthConfig } from "./config.ts";
import { authSchema, createAuth } from "./service.ts";

await runProcess({
  name: "auth",
  environment: process.env,
  read: readAuthConfig,
  create: createAuth,
  migrate: migrator({ database: "SERVICE_AUTH_DB_URL", ...authSchema }),
});
