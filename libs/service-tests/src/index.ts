export { testProjectDeletion } from "./test-project-deletion.ts";
