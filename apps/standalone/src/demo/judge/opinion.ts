import { createRandom } from "../random.ts";
import type { KnownAnswer } from "./knowledge.ts";

/** The subject of a rubric, derived from its criteria. */
export type Aspect = "helpful" | "policy" | "grounded" | "tone" | "correct";

export interface Opinion {
  rating: number;
  justification: string;
}

/** A rating below the first is bad, one below the second weak. */
const badBelow = 4;
const weakBelow = 7;

/**
 * The scripted judge's verdict on an answer it knows. Rubrics on facts use the known facts about the answer. The one on
 * helpfulness sees the wording only, like judges without a reference: now and then it accepts a confident wrong answer,
 * or marks down a short right one. The agreement with people shows that.
 */
export function opinionOf({ scenario, answer }: KnownAnswer, aspect: Aspect): Opinion {
  const random = createRandom(`${aspect} ${answer.text}`);
  const near = (rating: number): number => clamp(Math.round((rating + random.next() * 0.8 - 0.4) * 10) / 10);
  switch (aspect) {
    case "policy":
      return { rating: answer.rating, justification: answer.because };
    case "correct":
    case "grounded":
      return { rating: near(answer.rating), justification: answer.because };
    case "tone":
      return {
        rating: near(answer.rating < badBelow ? 6.8 : 8.6),
        justification: `Polite and in plain words. "${opening(answer.text)}" speaks to what was asked without blaming anybody.`,
      };
    case "helpful":
      return helpfulness({ scenario, answer }, near, random.next());
  }
}

function helpfulness({ scenario, answer }: KnownAnswer, near: (rating: number) => number, coin: number): Opinion {
  if (answer.rating < badBelow && coin < 0.42) {
    return {
      rating: near(7.4),
      justification: `It answers "${opening(scenario.query)}" directly and names what happens next. Nothing it says looks doubtful by itself.`,
    };
  }
  if (answer.rating >= badBelow && answer.rating < weakBelow && coin < 0.5) {
    return { rating: near(4.2), justification: `Too short to act on. ${answer.because}` };
  }
  return { rating: near(answer.rating), justification: answer.because };
}

const clamp = (rating: number): number => Math.min(10, Math.max(0, rating));

/** The first words of a text. */
function opening(text: string): string {
  const words = text.split(" ");
  return words.length <= 8 ? text : `${words.slice(0, 8).join(" ")} ...`;
}

/** The scripted judge's answer to anything unknown: it is not a model. */
export function opinionOfUnknown(output: string): Opinion {
  if (output.startsWith("The agent failed:")) {
    return { rating: 0.5, justification: `There is no answer to help anybody. ${output}` };
  }
  const isEmpty = output.trim() === "";
  return {
    rating: isEmpty ? 0 : 6,
    justification: isEmpty
      ? "The answer is empty."
      : "demo-judge is a script that knows the sample project's answers only, and this is none of them. Configure a model for real verdicts.",
  };
}
