import { judgeDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { judgeSchema, removeDeletedProjects } from "../src/schema.ts";

testProjectDeletion({
  service: "judge",
  ...judgeSchema,
  confirmation: judgeDataDeleted,
  values: { verdicts: { rating: 5 } },
  start: (setting) => [removeDeletedProjects(setting)],
});
