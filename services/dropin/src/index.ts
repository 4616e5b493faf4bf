export { type DropinConfig, readDropinConfig } from "./config.ts";
export { createDropin } from "./service.ts";
