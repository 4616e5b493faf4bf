export { type AuthConfig, readAuthConfig } from "./config.ts";
export { type AuthDependencies, createAuth } from "./service.ts";
