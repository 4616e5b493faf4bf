import { exportById, exportedMembers } from "@touchstone/db";

export const { json, jsonText, createdAt, updatedAt } = exportedMembers;

/** A table of this service with an id of its own, read along it. */
export const byId = (table: string) => exportById("monitor", table);
