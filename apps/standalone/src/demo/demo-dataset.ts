/** The sample dataset: each case shows another way a result can turn out. */
export const demoDataset = {
  name: "Weather questions",
  description: "What a weather agent should answer.",
  acceptanceCriteria: "States the temperature and the sky as the reference does.",
  rejectionCriteria: "Invents a city, a temperature or a source.",
  evaluationCriteria: "Short, correct and polite.",
  jaccardSimilarity: { enabled: true },
  bleuScore: { enabled: true },
  rougeScore: { enabled: true },
  questions: [
    {
      main_question: {
        query: "What is the weather in Paris?",
        expectedResults: "It is 18 °C and sunny in Paris.",
      },
    },
    {
      main_question: {
        query: "Do I need an umbrella in Bergen today?",
        expectedResults: "Yes, rain is expected in Bergen all day.",
        judgeGuideline: "A yes or no must come first.",
      },
    },
    {
      main_question: {
        query: "Is it colder in Oslo or in Rome?",
        expectedResults: "Oslo is colder: 4 °C against 21 °C in Rome.",
        retrievalContext: ["Oslo: 4 °C, cloudy", "Rome: 21 °C, clear"],
      },
    },
    {
      main_question: {
        query: "What will the weather be on Mars?",
        expectedResults: "I only have forecasts for places on Earth.",
      },
    },
  ],
};

/** What the sample agent answered: right, partly right, wrong, and made up. */
export const demoOutputs = [
  "It is 18 °C and sunny in Paris.",
  "Rain is likely in Bergen, so take an umbrella.",
  "Rome is colder: 4 °C against 21 °C in Oslo.",
  "Tomorrow Mars will be sunny with 25 °C, according to the Martian weather office.",
];
