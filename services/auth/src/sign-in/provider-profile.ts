import { z } from "zod";

/** A provider's claims about a user, limited to what an account may hold. */
export interface ProviderProfile {
  name: string;
  /** Null: the provider sent no valid address. */
  email: string | null;
  /** Only if the provider states it explicitly. */
  emailVerified: boolean;
  image: string | undefined;
}

const nameMaxChars = 200;
const imageMaxChars = 2_000;
const address = z.email().max(320);

/** Reads claims of any shape. */
export function readProviderProfile(claims: {
  name: unknown;
  email: unknown;
  emailVerified: unknown;
  image: unknown;
}): ProviderProfile {
  const { data: email = null } = address.safeParse(claims.email);
  return {
    name: readName(claims.name) || (email?.split("@")[0] ?? ""),
    email,
    emailVerified: email !== null && claims.emailVerified === true,
    image: readImage(claims.image),
  };
}

function readName(name: unknown): string {
  if (typeof name !== "string") return "";
  return name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, nameMaxChars)
    .toWellFormed();
}

function readImage(image: unknown): string | undefined {
  if (typeof image !== "string" || image.length > imageMaxChars) return undefined;
  const url = URL.parse(image);
  return url?.protocol === "https:" ? url.href : undefined;
}
