import { z } from "zod";
import { errorBody, globalErrorBody } from "../errors.ts";
import { accountErrorBody } from "../http/accounts.ts";
import { deadlines, limits } from "../limits.ts";
import type { BodyContract, ResponseContract } from "../route.ts";

/** Of every route except the operators' routes. */
export const prefix = "/api/v1";

/** An answer `{ error }`. */
export const error = (description: string): ResponseContract => ({ description, schema: errorBody });
/** The answer of a list. */
export const wrongPage = error("The limit or the cursor is none.");
/** An answer `{ statusCode, message }`. */
export const globalError = (description: string): ResponseContract => ({ description, schema: globalErrorBody });
/** 403 of a route for signed-in users: the role, or an untrusted origin or host. */
export const forbidden = (description: string): ResponseContract => ({
  description,
  schema: z.union([errorBody, accountErrorBody, globalErrorBody]),
});
/** A JSON body. */
export const json = <Schema extends z.ZodType>(schema: Schema, required = true): BodyContract<Schema> => ({
  kind: "json",
  schema,
  maxBytes: limits.jsonBodyMaxBytes,
  namesMax: limits.jsonNamesMax,
  required,
});

/** A JSON body of many objects, such as results, scores or events. */
export const batch = <Schema extends z.ZodType>(schema: Schema): BodyContract<Schema> => ({
  ...json(schema),
  namesMax: limits.batchNamesMax,
});

/** A JSON body that is read in a thread, or in pieces: its values are bounded, not its names. */
export const large = <Schema extends z.ZodType>(schema: Schema): BodyContract<Schema> => ({
  ...json(schema),
  namesMax: limits.jsonValuesMax,
});

/** A JSON body of a route of accounts. */
export const small = <Schema extends z.ZodType>(schema: Schema): BodyContract<Schema> => ({
  ...json(schema),
  maxBytes: limits.accountBodyMaxBytes,
});

/** What is shared by routes that a project's key opens. */
export const dataPlane = {
  authentication: ["key"],
  rateGroup: "dataPlane",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
} as const;

/** A change in the dashboard that any member of the project's organization may make. */
export const byMember = { authentication: ["key", "session"], sessionRole: "member" } as const;

/** The same, for its owner and admins: settings, data that leaves the installation, and the deletion of traces. */
export const byAdmin = { authentication: ["key", "session"], sessionRole: "admin" } as const;

/** Refusals that any body can get. */
export const bodyRefusals = {
  400: globalError("The body is not JSON, not UTF-8, or has too many values or members."),
  413: globalError("The body is larger than 10 MiB, on the wire or inflated."),
  415: globalError("The content type, charset or content encoding is not supported."),
};

/** A body's refusals on routes that also check it themselves: both envelopes occur at 400. */
export const checkedBody = {
  ...bodyRefusals,
  400: { description: "The body is not JSON, or a field is wrong.", schema: z.union([errorBody, globalErrorBody]) },
};
