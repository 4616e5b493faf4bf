/**
 * On an answer of a service that is stopping: what is in hand is finished, what comes next should go to another replica.
 * Never sent to clients.
 */
export const drainingHeader = "x-internal-draining";

/**
 * On a 503 with which a stopping service ends a connection that was idle: a request that crossed it was not taken, not
 * even looked at, and may be sent elsewhere whatever its method. Never sent to clients.
 */
export const notTakenHeader = "x-internal-not-taken";

/**
 * On a 401 with which a service refuses the identity of its caller, so that the gateway can tell it from one that is
 * meant for the client. Never sent to clients.
 */
export const identityRefusedHeader = "x-internal-identity-refused";

/**
 * On a 401 with which a service refuses a request into a deleted project: it is meant for the client, and the gateway need
 * not remember the key. Never sent to clients.
 */
export const projectDeletedHeader = "x-internal-project-deleted";

/** Beside a request of the sign-in family: the origin under which the client reached the gateway. Stripped from clients. */
export const accountOriginHeader = "x-internal-origin";

/** Beside a request of the sign-in family: the client's address, as far as proxies are trusted. Stripped from clients. */
export const clientAddressHeader = "x-internal-client-address";
