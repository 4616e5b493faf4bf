import { z } from "zod";
import { serviceNames } from "./bus/define.ts";

/** The header with an {@link identity} on every internal hop. The gateway removes it from client requests. */
export const identityHeader = "x-touchstone-identity";

/** The header that carries the request id, inwards and on every answer. */
export const requestIdHeader = "x-request-id";

/**
 * The caller, the project and the purpose of a request: signed by the issuer under the key of the pair (decision 5).
 * Valid for one method and path, and for 30 s. `projectId` is null on routes that belong to no project.
 */
export const identity = z.object({
  issuer: z.enum(serviceNames),
  audience: z.enum(serviceNames),
  projectId: z.uuid().nullable(),
  organizationId: z.uuid().nullable(),
  userId: z.string().nullable(),
  role: z.enum(["key", "owner", "admin", "member"]).nullable(),
  requestId: z.string(),
  method: z.string(),
  path: z.string(),
  expiresAtMs: z.number().int(),
});
export type Identity = z.infer<typeof identity>;
