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
