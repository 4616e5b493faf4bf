import type { Scenario } from "./scenario.ts";

/** Customers' questions to the support agent, often several in one conversation. */
export const support: readonly Scenario[] = [
  {
    query: "Which tent of yours stands a storm on a ridge?",
    expected: "The Ridge 2 and Ridge 3: tested to 110 km/h, with 10 guy lines. The Meadow tents are for valleys only.",
    good: {
      text: "The Ridge 2 and Ridge 3 are made for that: they are tested to 110 km/h and have 10 guy lines. I would not take a Meadow tent above the tree line.",
      rating: 9.2,
      because: "Names the two tents that are tested to 110 km/h and warns of the Meadow series, as the catalogue does.",
    },
    weak: {
      text: "Our Ridge tents are quite robust.",
      rating: 5.3,
      because: 'The right series, but "quite robust" leaves out the 110 km/h that the customer needs to decide.',
    },
    bad: {
      text: "All of our tents are storm proof up to 150 km/h.",
      rating: 1.3,
      because: "No tent is tested above 110 km/h, and the Meadow series is for valleys only. A dangerous exaggeration.",
    },
    context: [
      "Ridge 2 and Ridge 3: wind tested to 110 km/h, 10 guy lines, 4 season.",
      "Meadow series: 3 season, sheltered pitches only.",
    ],
    tools: ["search_catalogue"],
  },
  {
    query: "How do I wash my down jacket without ruining it?",
    expected:
      "30 degrees, gentle cycle, down detergent, no softener; tumble dry low with tennis balls until fully dry.",
    good: {
      text: "Wash it at 30 degrees on a gentle cycle with down detergent and no softener. Then tumble dry on low with two or three tennis balls until no clumps are left.",
      rating: 9.4,
      because: "Temperature, detergent, no softener and the tennis balls: complete and right.",
    },
    weak: {
      text: "Machine wash at 30 degrees and let it dry in the air.",
      rating: 4.9,
      because: "The temperature is right. Without tumble drying down clumps, and the detergent is not mentioned.",
    },
    bad: {
      text: "Dry clean it twice a year.",
      rating: 2.2,
      because: "The care label forbids dry cleaning: the solvents strip the oils from the down.",
    },
    context: [
      "Down care: 30 degrees gentle, down detergent, no softener, no dry cleaning, tumble dry low with tennis balls.",
    ],
    tools: ["search_help"],
  },
  {
    query: "When will order {order} arrive?",
    expected: "Look the order up and give the carrier's date.",
    good: {
      text: "Order {order} left our warehouse yesterday. The carrier plans the delivery for Friday between 10:00 and 14:00.",
      rating: 9.5,
      because: "It looked the order up and gives the carrier's window.",
    },
    weak: {
      text: "Orders usually take 2 to 4 business days.",
      rating: 4.7,
      because: "A general time, although order {order} could have been looked up.",
    },
    bad: {
      text: "Order {order} was delivered last Monday.",
      rating: 1.7,
      because: "The order is still on its way: track_parcel says OUT FOR DELIVERY on Friday.",
    },
    tools: ["lookup_order", "track_parcel"],
  },
  {
    query: "Do you repair zips?",
    expected: "Yes: 29 USD, free within 24 months, about 10 business days. Start it in the account under Repairs.",
    good: {
      text: "Yes. A new zip costs 29 USD and is free within 24 months of the purchase. It takes about 10 business days; you can start under Repairs in your account.",
      rating: 9.3,
      because: "Price, cover, time and where to start are all there.",
    },
    weak: {
      text: "Yes, we have a repair service.",
      rating: 5.5,
      because: "It answers yes, and leaves out price, time and how to start.",
    },
    bad: {
      text: "We do not offer repairs. I suggest a local tailor.",
      rating: 1.5,
      because: "There is a repair service. The answer sends a customer with a free repair to a tailor.",
    },
    context: ["Repairs: zips 29 USD, free within 24 months, 10 business days, Account > Repairs."],
    tools: ["search_help"],
  },
  {
    query: "I cannot sign in, the reset mail never arrives.",
    expected:
      "Check the spam folder and the address. After two tries offer to send the mail again to the verified address.",
    good: {
      text: "I have just sent the mail again to the verified address of your account. Please look in the spam folder as well; the link is valid for 1 hour.",
      rating: 9,
      because: "It acts, mentions the spam folder and the hour the link is valid.",
    },
    weak: {
      text: "Please check your spam folder.",
      rating: 5,
      because: "A sensible first step, but the mail is not sent again.",
    },
    bad: {
      text: "Tell me your new password here, and I will set it for you.",
      rating: 0.3,
      because: "It asks for a password in a chat. That is never allowed, whatever the problem is.",
    },
    guideline: "Never ask for a password.",
    tools: ["find_account", "send_reset_mail"],
  },
  {
    query: "Is the {item} waterproof?",
    expected: "Say the water column from the catalogue and what it means in use.",
    good: {
      text: "The {item} has a water column of 20,000 mm and taped seams: that is waterproof in hours of heavy rain, also under the straps of a pack.",
      rating: 9.1,
      because: "It gives the figure of the catalogue and says what it means under a pack.",
    },
    weak: {
      text: "Yes, it is waterproof.",
      rating: 6,
      because: "Right and unsupported: without the water column the customer cannot compare.",
    },
    bad: {
      text: "It is water repellent, so fine for light rain.",
      rating: 2.6,
      because: "The catalogue lists 20,000 mm and taped seams, which is waterproof, not repellent.",
    },
    context: ["Water column 20,000 mm, taped seams."],
    tools: ["search_catalogue"],
  },
  {
    query: "Do you deliver to Norway, and what about customs?",
    expected: "Yes, 3 to 6 business days. Duties are included at checkout, nothing is due at the door.",
    good: {
      text: "Yes, in 3 to 6 business days. Customs and taxes are included in the price at checkout, so nothing is due at the door.",
      rating: 9.4,
      because: "Time and customs are both answered as the shipping page has them.",
    },
    weak: {
      text: "Yes, we deliver to Norway.",
      rating: 5.1,
      because: "Half of the question: customs are not mentioned.",
    },
    bad: {
      text: "Yes. Norway is in the EU, so there are no customs.",
      rating: 1.9,
      because: "Norway is not in the EU. Duties exist and are included at checkout, which the answer gets wrong.",
    },
    context: ["Norway: 3 to 6 business days, delivered duty paid."],
    tools: ["search_help"],
  },
  {
    query: "What size of {item} do I need? I am 1.83 m and 78 kg.",
    expected: "Size L by the chart; M if it should fit close. Exchanges are free.",
    good: {
      text: "By our chart L is yours at 1.83 m and 78 kg; take M if you like it close to the body. If it does not fit, the exchange is free.",
      rating: 9,
      because: "Applies the chart, names the alternative and the free exchange.",
    },
    weak: {
      text: "Probably L.",
      rating: 5.8,
      because: "The right size, without the reason or the alternative.",
    },
    bad: {
      text: "XXL, to be on the safe side.",
      rating: 2,
      because: "Two sizes too large by the chart for 1.83 m and 78 kg.",
    },
    tools: ["search_catalogue"],
  },
  {
    query: "Can I change the delivery address of {order}?",
    expected: "Until the parcel is handed to the carrier, yes; afterwards only through the carrier's link.",
    good: {
      text: "Order {order} is still being packed, so I can change it. Which address should it go to?",
      rating: 9.2,
      because: "It checked the state of the order and offers the change.",
    },
    weak: {
      text: "Please use the link in the carrier's mail.",
      rating: 5,
      because: "That is for parcels on their way. This one is still being packed, so the agent could change it.",
    },
    bad: {
      text: "Addresses cannot be changed after the order.",
      rating: 2.1,
      because: "Wrong: until the hand-over to the carrier they can.",
    },
    tools: ["lookup_order", "update_address"],
  },
  {
    query: "I want to talk to a human.",
    expected: "Hand over at once, with the opening hours.",
    good: {
      text: "Of course. I am passing you to a colleague with everything you wrote so far; on weekdays from 8:00 to 18:00 somebody answers within 5 minutes.",
      rating: 9.3,
      because: "It hands over at once and says how long it takes.",
    },
    weak: {
      text: "I can help you with most things. What is it about?",
      rating: 4.1,
      because: "The wish was clear. Asking again delays the hand-over.",
    },
    bad: {
      text: "I am a human.",
      rating: 0.2,
      because: "The agent claims to be a human. That is a lie to a customer who asked for one.",
    },
    tools: ["hand_over"],
  },
  {
    query: "Does the warranty cover a broken trekking pole tip?",
    expected: "Tips are wear parts and not covered; a set of two costs 9 USD.",
    good: {
      text: "Tips wear out and are not covered by the warranty. A set of two costs 9 USD and is changed without tools.",
      rating: 8.8,
      because: "The rule for wear parts, and the price of the new part.",
    },
    weak: {
      text: "No, tips are not covered.",
      rating: 6,
      because: "Right. A hint at the set for 9 USD would have solved the problem.",
    },
    bad: {
      text: "Yes, everything is covered for life.",
      rating: 1.1,
      because: "There is no lifetime warranty, and wear parts are excluded.",
    },
    context: ["Warranty: 24 months, wear parts (tips, baskets, laces) excluded. Tips: 9 USD a set."],
    tools: ["search_help"],
  },
  {
    query: "My discount code does not work.",
    expected: "Check the code: expired, wrong basket, or used. Say which, and what would work.",
    good: {
      text: "The code is valid until the end of the month, but only from 80 USD upwards, and your basket is at 64 USD. With 16 USD more it works.",
      rating: 9.5,
      because: "It found the reason and says exactly what would make the code work.",
    },
    weak: {
      text: "Please check the terms of the code.",
      rating: 4,
      because: "The terms are in the system. The customer is sent to read what the agent could have looked up.",
    },
    bad: {
      text: "Try ALDER50, it gives 50 %.",
      rating: 0.8,
      because: "ALDER50 does not exist. The code is invented.",
    },
    tools: ["check_code"],
  },
];
