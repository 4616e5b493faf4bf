export { type AuthConfig, readAuthConfig } from "./config.ts";
export { createAuth } from "./service.ts";
