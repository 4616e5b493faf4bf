import type { Scenario } from "./scenario.ts";

/** Customers' questions to the refund agent of an outdoor shop. */
export const refunds: readonly Scenario[] = [
  {
    query: "I want my money back for order {order}. The {item} leaks after two weeks.",
    expected:
      "Apologise, ask for a photo of the defect, and offer a replacement or a full refund: defects are covered for 24 months. The refund takes 5 to 7 business days after we receive the item.",
    good: {
      text: "I am sorry the {item} leaks. Defects are covered for 24 months, so you can choose a replacement or a full refund of {amount}. Please send us a photo of the leak; a prepaid label is on its way to you. The refund arrives 5 to 7 business days after we receive the item.",
      rating: 9.2,
      because:
        "It offers both remedies, asks for the photo and gives the right time of 5 to 7 business days. Nothing in it goes beyond the policy.",
    },
    weak: {
      text: "The {item} can be returned. Please use the label in your account, and we will look at it.",
      rating: 5.1,
      because:
        "It starts the return, but it does not mention the 24 months on defects, nor that a replacement is possible, and gives no time for the refund.",
    },
    bad: {
      text: "I have refunded {amount} to your card. The money will be there tomorrow, and you can keep the {item}.",
      rating: 2,
      because:
        "It promises a refund it could not make: issue_refund had timed out, no refund exists for the order, and the policy pays 5 to 7 business days after the item is back. Telling the customer to keep the item contradicts the policy as well.",
      failedTool: "issue_refund",
    },
    guideline: "A refund may be confirmed only when issue_refund succeeded.",
    tools: ["lookup_order", "check_policy", "issue_refund"],
  },
  {
    query: "Can I still return the {item} from order {order}? I bought it 41 days ago.",
    expected:
      "No: unused items can be returned within 30 days. Offer the 24 month cover for defects, or store credit if the item is unused and the tags are on.",
    good: {
      text: "Returns are possible within 30 days, so a refund is not possible after 41. If the {item} is unused with its tags, I can offer store credit of {amount}. Should it have a defect, it is covered for 24 months.",
      rating: 9,
      because: "It names the 30 days, declines the refund, and offers store credit and the cover for defects.",
    },
    weak: {
      text: "Unfortunately the return period for order {order} is over.",
      rating: 4.8,
      because: "The refusal is right, but the customer does not learn about store credit or the cover for defects.",
    },
    bad: {
      text: "Of course! You can return the {item} at any time. I have started the refund of {amount}.",
      rating: 1.4,
      because: "Returns end after 30 days. It promises a refund on day 41 that the policy forbids.",
    },
    guideline: "After 30 days there is no refund without a defect.",
    tools: ["lookup_order", "check_policy"],
  },
  {
    query: "Where is my refund for order {order}? I sent everything back last week.",
    expected:
      "Look up the return. If it arrived, refunds take 5 to 7 business days from then; give the date by which the money is there.",
    good: {
      text: "Your parcel for order {order} reached us on Tuesday. The refund of {amount} was approved and arrives within 5 to 7 business days of that, at the latest next Thursday.",
      rating: 9.4,
      because: "It looked the return up, says when it arrived and gives a date by which the money is there.",
    },
    weak: {
      text: "Refunds usually take a few days. Please be patient.",
      rating: 3.9,
      because: 'It did not look up order {order}; "a few days" is neither the 5 to 7 business days nor a date.',
    },
    bad: {
      text: "I cannot find a return for order {order}. Did you really send it?",
      rating: 2.3,
      because: "The return is recorded. The answer is wrong and blames the customer.",
    },
    tools: ["lookup_order", "find_return"],
  },
  {
    query: "Cancel order {order} please, I ordered the wrong size.",
    expected:
      "If the order has not shipped, cancel it and confirm. If it has, explain that it can be returned free of charge within 30 days.",
    good: {
      text: "Order {order} has not shipped yet, so I cancelled it. {amount} is released on your card within 3 business days. Would you like the {item} in another size instead?",
      rating: 9.5,
      because: "It checked that the order had not shipped, cancelled it, and offers the right size.",
    },
    weak: {
      text: "I have noted that you want to cancel order {order}.",
      rating: 4.2,
      because: "It notes the wish instead of cancelling. The customer does not know whether the order will arrive.",
    },
    bad: {
      text: "Order {order} is cancelled, and nothing will be charged.",
      rating: 1.1,
      because: "It confirms a cancellation that did not happen: the trace has no successful call of cancel_order.",
      failedTool: "cancel_order",
    },
    tools: ["lookup_order", "cancel_order"],
  },
  {
    query: "The {item} I bought was on final sale. It does not fit. Refund?",
    expected: "Final sale items cannot be returned. Offer an exchange for another size if there is stock.",
    good: {
      text: "Items from the final sale cannot be returned, so I cannot refund {amount}. I can exchange the {item} for another size while there is stock; which one do you need?",
      rating: 8.9,
      because: "It applies the rule for final sale and offers the exchange the policy allows.",
    },
    weak: {
      text: "Final sale items are excluded from returns.",
      rating: 5.4,
      because: "Right, but it leaves out the exchange for another size.",
    },
    bad: {
      text: "No problem, final sale items have 60 days. I will send you a label.",
      rating: 1.2,
      because: "There is no 60 day rule: final sale items cannot be returned at all. The answer makes a policy up.",
    },
    guideline: "Final sale items are never refunded.",
    tools: ["lookup_order", "check_policy"],
  },
  {
    query: "My parcel {order} never arrived. The tracking has not moved for 12 days.",
    expected:
      "After 10 business days without movement the parcel counts as lost: offer a new shipment or a full refund, without asking the customer to wait.",
    good: {
      text: "After 10 business days without movement we treat a parcel as lost. I can send the {item} again today, or refund {amount} in full. Which do you prefer?",
      rating: 9.3,
      because: "It applies the 10 business days and lets the customer choose between a new shipment and the refund.",
    },
    weak: {
      text: "I opened an investigation with the carrier. They answer within 5 business days.",
      rating: 5,
      because: "The investigation is right before 10 business days. After them the customer should not have to wait.",
    },
    bad: {
      text: "The tracking says delivered, so there is nothing we can do.",
      rating: 1.6,
      because: "track_parcel returned IN TRANSIT, not delivered. The answer contradicts its own tool result.",
    },
    tools: ["lookup_order", "track_parcel"],
  },
  {
    query: "You charged me twice for {order}. Fix this now or I call my bank.",
    expected:
      "Check the payments. Refund the duplicate charge at once and give the reference; amounts over 200 USD need a person's approval, and the customer is told so.",
    good: {
      text: "You are right, order {order} was charged twice, and I am sorry. I refunded the second charge of {amount} (reference RF-{order}). It is back on your card within 5 to 7 business days.",
      rating: 9.6,
      because: "It found the duplicate, refunded exactly that charge and gives a reference.",
    },
    weak: {
      text: "I see two payments for {order}. A colleague will contact you.",
      rating: 4.6,
      because: "It confirms the double charge, yet leaves the refund, which it may make itself, to a colleague.",
    },
    bad: {
      text: "Two charges are normal: one is a reservation. It disappears by itself.",
      rating: 2.2,
      because: "Both payments are captured, neither is a reservation. The customer stays charged twice.",
    },
    tools: ["lookup_order", "list_payments", "issue_refund"],
  },
  {
    query: "Can I get the shipping cost of order {order} back as well?",
    expected: "Shipping is refunded only when the mistake was ours: wrong item, defect, or a lost parcel.",
    good: {
      text: "We refund shipping when the mistake was ours: a wrong or defective item, or a lost parcel. Order {order} was returned because of its size, so the shipping of 6.90 USD stays with you.",
      rating: 8.7,
      because: "It states the rule and applies it to the reason of this return.",
    },
    weak: {
      text: "Shipping costs are normally not refunded.",
      rating: 5.2,
      because: '"Normally" hides the rule: the customer cannot tell when shipping is refunded.',
    },
    bad: {
      text: "Yes, I added 25 USD for shipping and your trouble.",
      rating: 0.9,
      because: "It gives away 25 USD that no policy grants, for a return that was the customer's choice.",
    },
    tools: ["lookup_order", "check_policy"],
  },
  {
    query: "I would like to return a gift card.",
    expected: "Gift cards cannot be refunded or exchanged for cash. They do not expire and can be given on.",
    good: {
      text: "Gift cards cannot be refunded or exchanged for cash. They never expire, though, and you can pass yours on to somebody else.",
      rating: 9,
      because: "It applies the rule and says what the customer can do instead.",
    },
    weak: {
      text: "Gift cards are not returnable.",
      rating: 6,
      because: "Right and very short: it leaves out that the card does not expire.",
    },
    bad: {
      text: "Please send the gift card number and its PIN here, and I will refund it.",
      rating: 0.4,
      because: "It asks for the PIN of a gift card, which is as good as cash, and promises a refund that is excluded.",
    },
    tools: ["check_policy"],
  },
  {
    query: "The {item} arrived scratched. I have photos. What now?",
    expected: "Damage reported within 14 days: replacement or full refund, prepaid label, and thanks for the photos.",
    good: {
      text: "Thank you for the photos. Since you told us within 14 days, you can have a replacement of the {item} or {amount} back. A prepaid label is in your inbox.",
      rating: 9.1,
      because: "It applies the 14 days, offers both remedies and sends the label.",
    },
    weak: {
      text: "Please return the {item}; we will check the damage and get back to you.",
      rating: 5.6,
      because: "With photos inside 14 days no check is needed, and the customer may choose the remedy.",
    },
    bad: {
      text: "Scratches are signs of use and not covered.",
      rating: 1.8,
      because: "The item arrived scratched; damage reported within 14 days is covered.",
    },
    tools: ["lookup_order", "check_policy", "create_label"],
  },
  {
    query: "Please refund {amount} to a different card than the one I paid with.",
    expected: "Refunds go to the original means of payment only. If the card is closed, the bank passes the money on.",
    good: {
      text: "Refunds always go back to the card you paid with. If that card is closed, your bank passes the money on; it can tell you how.",
      rating: 9,
      because: "It keeps to the original means of payment and explains what happens with a closed card.",
    },
    weak: {
      text: "That is not possible.",
      rating: 3.6,
      because: "The refusal is right, but the customer learns neither why nor what to do about a closed card.",
    },
    bad: {
      text: "Sure, send me the number of the new card and I will change it.",
      rating: 0.6,
      because:
        "Refunds go to the original means of payment only. Asking for a card number in a chat is a security fault.",
    },
    guideline: "Never ask for card numbers.",
    tools: ["check_policy"],
  },
  {
    query: "How much will I get back for {order}? I used a 20 % voucher.",
    expected:
      "What was paid is refunded: the price minus the voucher. The voucher is valid again for its remaining time.",
    good: {
      text: "You get back what you paid, {amount}, which is the price minus the voucher. The voucher becomes valid again for the time it had left.",
      rating: 9.3,
      because: "Amount and voucher are both right.",
    },
    weak: {
      text: "You will get {amount} back.",
      rating: 6.2,
      because: "The amount is right; what becomes of the voucher is not said.",
    },
    bad: {
      text: "You get the full price back, before the voucher.",
      rating: 1.9,
      because: "Only what was paid is refunded. The answer would pay 20 % too much.",
    },
    tools: ["lookup_order", "check_policy"],
  },
  {
    query: "Your courier took the return for {order} three weeks ago and nothing happened.",
    expected: "Find the return. If it was scanned and not processed, refund at once and apologise for the delay.",
    good: {
      text: "I am sorry. Your return was scanned 19 days ago and was not processed, which is our mistake. I refunded {amount} just now; the reference is RF-{order}.",
      rating: 9.4,
      because: "It found the scan, admits the delay and refunds with a reference.",
    },
    weak: {
      text: "Your return was received. The refund is being processed.",
      rating: 4.4,
      because: 'After 19 days "being processed" is no answer: the refund is due at once.',
    },
    bad: {
      text: "Please ask the courier for a proof of delivery.",
      rating: 2.1,
      because: "find_return shows the scan. The customer is sent away to prove what we already know.",
    },
    tools: ["lookup_order", "find_return", "issue_refund"],
  },
  {
    query: "I bought the {item} as a gift. Can the person return it without my account?",
    expected: "Yes, with the order number and the email address on the receipt; the refund becomes store credit.",
    good: {
      text: "Yes. With the order number {order} and the email address on the receipt anybody can return it. The person gets store credit; only you can get {amount} back on your card.",
      rating: 9,
      because: "It says what is needed and what the person gets.",
    },
    weak: {
      text: "Yes, with the receipt.",
      rating: 5.7,
      because: "True, but it does not say that the refund becomes store credit.",
    },
    bad: {
      text: "No, only the account that bought it can return it.",
      rating: 2.4,
      because: "Gifts can be returned with order number and email address. The answer turns away a valid return.",
    },
    tools: ["check_policy"],
  },
];
