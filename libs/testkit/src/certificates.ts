import path from "node:path";

const folder = path.resolve(import.meta.dirname, "../certificates");
const pair = (name: string) => ({
  certFile: path.join(folder, `${name}.pem`),
  keyFile: path.join(folder, `${name}.key`),
});

/**
 * PEM files of a certificate authority whose key is gone, valid until 2125: a server's certificate for localhost and
 * 127.0.0.1, one that expired in 2026, and a client's. For tests; they protect nothing.
 */
export const testCertificates = {
  caFile: path.join(folder, "ca.pem"),
  /** An authority that signed none of them. */
  otherCaFile: path.join(folder, "other-ca.pem"),
  server: pair("server"),
  expired: pair("expired"),
  client: pair("client"),
};
