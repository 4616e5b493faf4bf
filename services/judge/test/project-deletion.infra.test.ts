import path from "node:path";
import { judgeDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { removeDeletedProjects } from "../src/schema.ts";

testProjectDeletion({
  service: "judge",
  schema: "judge",
  migrations: path.join(import.meta.dirname, "../migrations"),
  confirmation: judgeDataDeleted,
  values: { verdicts: { rating: 5 } },
  start: (setting) => [removeDeletedProjects(setting)],
});
