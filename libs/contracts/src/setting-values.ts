import { z } from "zod";

/* The forms that the values of settings have. The error messages never repeat a value. */

export const flag = z
  .enum(["true", "false"], { error: 'must be "true" or "false"' })
  .transform((text) => text === "true");
export const port = z.coerce.number({ error: "must be a port number" }).int().min(0).max(65_535);
export const positiveInteger = z.coerce.number({ error: "must be a whole number" }).int().positive();
/** Comma-separated items. */
export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);
/** A URL with one of these protocols. */
export const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  });
/** A Redis, or the sentinels that know which Redis is the master. */
export const redisUrl = z.string().refine(
  (text) => {
    const [, login = "", hosts] = /^rediss?\+sentinel:\/\/([^/@]*@)?([^/?#@]+)\/[^/?#]+(?:\/\d+)?$/.exec(text) ?? [];
    const addresses = hosts?.split(",").map((host) => `redis://${login}${host.trim()}`);
    if (addresses !== undefined) return addresses.every((each) => URL.canParse(each) && new URL(each).hostname !== "");
    return URL.canParse(text) && ["redis:", "rediss:"].includes(new URL(text).protocol);
  },
  {
    error:
      "must be a URL that starts with redis:// or rediss://, or redis+sentinel://host:26379,host:26379/name with the name of the master",
  },
);
/** The address of an OpenID Connect provider. */
export const issuer = url("http:", "https:").refine((text) => !/[?#]|\/\/[^/]*@/.test(text), {
  error: "must have no query, no fragment and no password",
});
/** Headers of a request; a value has only printable characters, and separators are percent-encoded. */
export const headerList = z
  .string()
  .refine(
    (text) =>
      text
        .split(",")
        .every((pair) => /^[\w!#$%&'*+.^`|~-]+ *=(?:[ !-$&-~]|%(?!7[Ff])[2-7][\dA-Fa-f])*$/.test(pair.trim())),
    { error: "must be name=value, several separated by commas, values percent-encoded" },
  );
export const urlList = list.refine(
  (items) => items.length > 0 && items.every((item) => /^https?:\/\//.test(item) && URL.canParse(item)),
  {
    error: "must be one or several http:// addresses, separated by commas",
  },
);
/** Addresses of one NATS cluster, as the text they were given in. */
export const natsUrls = z.string().refine(
  (text) =>
    text.split(",").every((each) => {
      const address = each.trim();
      return URL.canParse(address) && ["nats:", "tls:"].includes(new URL(address).protocol);
    }),
  { error: "must be one or several nats:// or tls:// addresses, separated by commas" },
);
export const databaseUrl = url("postgres:", "postgresql:");
/** A limiter that a value other than a positive number disables (completions 1.3). */
export const limit = z.string().transform((text) => {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? Math.floor(value) : null;
});
/** 0 and less mean unlimited (completions 9.8). A typo must neither delete data nor keep it. */
export const days = z.coerce
  .number({ error: "must be a whole number of days" })
  .int({ error: "must be a whole number of days" })
  .min(-1)
  .max(36_500)
  .transform((value) => (value > 0 ? value : null));
