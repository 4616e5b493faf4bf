import type { Attack } from "./attack.ts";
import { fuzz } from "./attacks/fuzz.ts";
import { guessedPasswords } from "./attacks/guessed-passwords.ts";
import { hostileAnswers } from "./attacks/hostile-answers.ts";
import { hostileScorers } from "./attacks/hostile-scorers.ts";
import { idleStreams } from "./attacks/idle-streams.ts";
import { importBombs } from "./attacks/import-bombs.ts";
import { jsonBombs } from "./attacks/json-bombs.ts";
import { largeDocuments } from "./attacks/large-documents.ts";
import { largeTraces } from "./attacks/large-traces.ts";
import { longResults } from "./attacks/long-results.ts";
import { longTexts } from "./attacks/long-texts.ts";
import { manyParts } from "./attacks/many-parts.ts";
import { manyProjects } from "./attacks/many-projects.ts";
import { natsKills } from "./attacks/nats-kills.ts";
import { ordinaryTraffic } from "./attacks/ordinary-traffic.ts";
import { otlpBombs } from "./attacks/otlp-bombs.ts";
import { patternTrials } from "./attacks/pattern-trials.ts";
import { slowClients } from "./attacks/slow-clients.ts";

/** All attacks. */
export const attacks: readonly Attack[] = [
  ordinaryTraffic,
  longTexts,
  patternTrials,
  hostileAnswers,
  hostileScorers,
  longResults,
  otlpBombs,
  jsonBombs,
  importBombs,
  largeTraces,
  largeDocuments,
  ...manyParts,
  slowClients,
  manyProjects,
  fuzz,
  natsKills,
  guessedPasswords,
  idleStreams,
];
