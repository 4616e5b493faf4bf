import type { Scenario } from "./scenario.ts";

/** Research questions of the shop's buyers. */
export const research: readonly Scenario[] = [
  {
    query: "Compare recycled down suppliers in Europe: certificates, price, lead time.",
    expected:
      "A table of at least three suppliers with GRS or RDS certificates, price by kilogram and lead time, each with a source.",
    good: {
      text: "Three suppliers fit. Nordun (GRS, 46 EUR/kg, 6 weeks), Plumaria (RDS and GRS, 52 EUR/kg, 4 weeks) and ReFeather (GRS, 41 EUR/kg, 9 weeks). Sources: certificate databases and the quotes of this month.",
      rating: 9,
      because: "Three suppliers with certificate, price and lead time, each from a source of the trace.",
    },
    weak: {
      text: "Nordun and Plumaria offer recycled down; ask them for quotes.",
      rating: 5.2,
      because: "Two names without prices and lead times, although the quotes were retrieved.",
    },
    bad: {
      text: "DownCycle GmbH offers 30 EUR/kg with all certificates.",
      rating: 1.5,
      because: "DownCycle GmbH occurs in no retrieved source. The supplier is invented.",
    },
    context: [
      "Nordun: GRS, 46 EUR/kg, 6 weeks.",
      "Plumaria: RDS, GRS, 52 EUR/kg, 4 weeks.",
      "ReFeather: GRS, 41 EUR/kg, 9 weeks.",
    ],
    tools: ["web_search", "fetch_page", "write_notes"],
  },
  {
    query: "What do reviews say about our Ridge 2 against its three rivals?",
    expected: "Strengths and weaknesses of each by number of reviews, with quotes.",
    good: {
      text: "In 214 reviews the Ridge 2 leads in wind (4.7 of 5) and trails in weight. The Vango Peak is lighter, the Hille Nor dearer, the Exo Dome weaker in rain. Quotes are in the notes.",
      rating: 8.8,
      because: "Figures by product and the trade-off between wind and weight, as the reviews have it.",
    },
    weak: {
      text: "Reviews of the Ridge 2 are mostly positive.",
      rating: 4.1,
      because: "The rivals were asked about and are missing.",
    },
    bad: {
      text: "The Ridge 2 is the best tent on the market.",
      rating: 2.4,
      because: "An advertisement, not a comparison: no rival and no review is mentioned.",
    },
    tools: ["web_search", "fetch_page", "write_notes"],
  },
  {
    query: "Summarise the new EU rules on PFAS in rainwear and what we must change.",
    expected: "Dates, thresholds, affected products of ours and the steps until then.",
    good: {
      text: "The limits apply in stages. Of our range 11 jackets still use fluorinated finishes; they need the C0 finish before the first stage. Steps: stop orders, test C0 on the Fjell line, relabel.",
      rating: 8.9,
      because: "It connects the stages with the 11 affected jackets and ends in steps.",
    },
    weak: {
      text: "PFAS will be restricted. We should look for alternatives.",
      rating: 4.4,
      because: "No dates and no products: nothing can be decided with it.",
    },
    bad: {
      text: "Rainwear is exempt from the rules.",
      rating: 1,
      because: "The retrieved text names outerwear explicitly. The summary says the opposite.",
    },
    tools: ["web_search", "fetch_page", "query_catalogue", "write_notes"],
  },
  {
    query: "Which trails near our Munich store open before May?",
    expected: "Trails below 1,200 m with dates of the last years and sources.",
    good: {
      text: "Five trails below 1,200 m were open before May in each of the last four years, among them the Partnach gorge and the Blomberg circuit. Dates and sources are in the notes.",
      rating: 9.1,
      because: "Five trails, the reason (height) and four years of dates.",
    },
    weak: { text: "Trails at low altitude open early.", rating: 4.3, because: "True and useless: no trail is named." },
    bad: {
      text: "The Zugspitze summit trail opens in March.",
      rating: 1.1,
      because: "It is under snow until June by the retrieved page. Following the answer would be dangerous.",
    },
    tools: ["web_search", "fetch_page", "write_notes"],
  },
];
