import type { Seed } from "./seed.ts";

/** Three graders of retrieval, one per aspect: faithfulness, relevance of the answer, relevance of the context. */
export const ragSeeds: readonly Seed[] = [
  {
    key: "rag-faithfulness",
    config: {
      name: "RAG: Faithfulness",
      description:
        "Is what the answer states supported by what was retrieved? Reads the input, the context and the output.",
      judgePrompt: `Grade one thing only: whether what the output states is supported by the retrieved context.

Go through the output claim by claim. A claim is whatever it presents as a fact: a name, a number, a date, a cause, a condition, a quotation, how something works. A claim is supported when the context says it, or when it follows from the context without further knowledge. It is contradicted when the context says otherwise. It is unsupported when the context says neither, even if you know it to be true. What the user says in the input counts as context. Greetings, questions, offers of help and the statement that the answer is not known are no claims.

The scale runs from 0 to 10, decimals allowed:
10 - Every claim is supported, or the output makes no claim.
5 - The main claim is supported; others that a reader would rely on are not.
0 - The main claim is contradicted or made up.

Weigh a claim by how much a reader would rely on it, and a contradicted one heavier than an unsupported one. Do not grade whether the output answers the input, how complete or how well written it is. Where no context was recorded, the input alone is the context.

What the agent was asked:
{input}

What the agent had retrieved:
{context}

What the agent answered:
{output}`,
      toolContext: "none",
    },
  },
  {
    key: "rag-answer-relevancy",
    config: {
      name: "RAG: Answer Relevancy",
      description:
        "Does the answer address what was asked, all of it and nothing else? Reads the input and the output.",
      judgePrompt: `Grade one thing only: whether the output addresses what was asked.

Work out from the input what the user wants to know or to have done: each question and each request, with the conditions put on it. Then see how much of that the output addresses, and how much of the output is about something else.

The scale runs from 0 to 10, decimals allowed:
10 - Every part of what was asked is addressed, and nothing in the output is beside the point.
5 - The main request is addressed, but a part of it is left out, or the answer is hard to find among what nobody asked for.
0 - The output is about something else, evades the request, or is empty.

Asking back for what the request cannot be answered without addresses it. Saying only that one cannot help does not. Do not grade whether the output is right, or supported by anything: a wrong answer to the question that was asked is relevant.

What the agent was asked:
{input}

What the agent answered:
{output}`,
      toolContext: "none",
    },
  },
  {
    key: "rag-context-relevancy",
    config: {
      name: "RAG: Context Relevancy",
      description:
        "Did the retrieval find what the answer needs? Reads the input and the context; the output is not graded.",
      judgePrompt: `Grade one thing only: whether the retrieved context holds what is needed to answer the input. What the agent answered is not shown to you and is not graded.

Work out from the input which pieces of information an answer needs. Then see which of them the context holds, and how much of the context bears on none of them.

The scale runs from 0 to 10, decimals allowed:
10 - The context holds everything an answer needs, and nearly all of it bears on the input.
5 - It holds what a part of the answer needs; or it holds everything, but most of it bears on something else.
0 - Nothing in it bears on the input.

What is missing weighs more than what is too much. Text that shares words with the input without helping to answer it does not bear on it. Where no context was recorded, the grade is 0, and the justification says that none was recorded.

What the agent was asked:
{input}

What the agent had retrieved:
{context}`,
      toolContext: "none",
    },
  },
];
