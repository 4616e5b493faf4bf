/**
 * On an answer of a service that is stopping: it finishes open requests, and new ones should go to another replica.
 * Never sent to clients.
 */
export const drainingHeader = "x-internal-draining";

/**
 * On a 503 with which a stopping service ends an idle connection, and on a 401 for the identity of the caller: the
 * request was not read, and may be sent elsewhere whatever its method. Never sent to clients.
 */
export const notTakenHeader = "x-internal-not-taken";

/**
 * On a failure that every request has at the moment, since the service's store is unavailable: it says nothing about the
 * request, and a caller that repeats it need not count the try. Never sent to clients.
 */
export const outageHeader = "x-internal-outage";

/**
 * On a 401 with which a service refuses the identity of its caller. It lets the gateway distinguish this 401 from one
 * that is meant for the client. Never sent to clients.
 */
export const identityRefusedHeader = "x-internal-identity-refused";

/** On the readiness of a service: the time by its clock, in epoch milliseconds. */
export const clockHeader = "x-internal-clock";

/**
 * On a 401 with which a service refuses a request into a deleted project: it is meant for the client, and the gateway
 * need not cache the key. Never sent to clients.
 */
export const projectDeletedHeader = "x-internal-project-deleted";

/**
 * On a request of the sign-in family, and where an answer has links: the origin under which the client reached the gateway.
 * Removed from client requests.
 */
export const accountOriginHeader = "x-internal-origin";

/**
 * On a request of the sign-in family: the client's address, as far as proxies are trusted. Removed from client
 * requests.
 */
export const clientAddressHeader = "x-internal-client-address";
