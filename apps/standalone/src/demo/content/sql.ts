import type { Scenario } from "./scenario.ts";

/** Questions about the shop's figures, answered with one SQL query. */
export const sql: readonly Scenario[] = [
  {
    query: "How many orders did we ship last week?",
    expected:
      "select count(*) from orders where shipped_at >= date_trunc('week', now()) - interval '1 week' and shipped_at < date_trunc('week', now())",
    good: {
      text: "select count(*) from orders where shipped_at >= date_trunc('week', now()) - interval '7 days' and shipped_at < date_trunc('week', now())",
      rating: 9.7,
      because: "The calendar week is bounded on both sides; the two intervals are the same.",
    },
    weak: {
      text: "select count(*) from orders where shipped_at > now() - interval '7 days'",
      rating: 6.1,
      because: "The last 7 days are not the last week, but the count is close.",
    },
    bad: {
      text: "select count(*) from orders where created_at > now() - interval '7 days'",
      rating: 2.5,
      because: "It counts orders that were created, not shipped: the wrong column.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "Top 5 products by revenue this quarter?",
    expected:
      "select p.name, sum(i.quantity * i.unit_price) as revenue from order_items i join products p on p.id = i.product_id join orders o on o.id = i.order_id where o.created_at >= date_trunc('quarter', now()) group by p.name order by revenue desc limit 5",
    good: {
      text: "select p.name, sum(i.quantity * i.unit_price) as revenue from order_items i join orders o on o.id = i.order_id join products p on p.id = i.product_id where o.created_at >= date_trunc('quarter', now()) group by p.name order by revenue desc limit 5",
      rating: 9.8,
      because: "Revenue, quarter and order are right.",
    },
    weak: {
      text: "select product_id, sum(quantity * unit_price) as revenue from order_items group by product_id order by revenue desc limit 5",
      rating: 4.9,
      because: "Revenue is right, but the quarter is missing, and ids stand in place of names.",
    },
    bad: {
      text: "select name, price from products order by price desc limit 5",
      rating: 1.6,
      because: "It lists the most expensive products. Nothing in it is revenue.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "What share of orders is returned?",
    expected: "select count(*) filter (where returned_at is not null)::float / count(*) from orders",
    good: {
      text: "select avg((returned_at is not null)::int)::float from orders",
      rating: 9.4,
      because: "A mean of 0 and 1 is the share; it is as good as the reference.",
    },
    weak: {
      text: "select count(*) from orders where returned_at is not null",
      rating: 4.7,
      because: "It counts the returns. A share was asked for.",
    },
    bad: {
      text: "select count(*) filter (where returned_at is not null) / count(*) from orders",
      rating: 3,
      because: "Integer division: the share is always 0.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "Which customers bought twice within 30 days?",
    expected:
      "select distinct a.customer_id from orders a join orders b on b.customer_id = a.customer_id and b.id > a.id and b.created_at < a.created_at + interval '30 days'",
    good: {
      text: "select distinct customer_id from (select customer_id, created_at - lag(created_at) over (partition by customer_id order by created_at) as gap from orders) t where gap <= interval '30 days'",
      rating: 9.5,
      because: "The window function finds neighbouring orders within 30 days; same result as the reference.",
    },
    weak: {
      text: "select customer_id from orders group by customer_id having count(*) >= 2",
      rating: 4.4,
      because: "It finds customers with two orders at any time; the 30 days are missing.",
    },
    bad: {
      text: "select customer_id from orders where created_at > now() - interval '30 days'",
      rating: 2,
      because: 'One order in the last 30 days is enough for it. "Twice" is nowhere.',
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "Average time from order to delivery, by country",
    expected:
      "select country, avg(delivered_at - created_at) from orders where delivered_at is not null group by country",
    good: {
      text: "select country, avg(delivered_at - created_at) as took from orders where delivered_at is not null group by country order by took",
      rating: 9.7,
      because: "Orders that were not delivered are left out, and it sorts as a bonus.",
    },
    weak: {
      text: "select avg(delivered_at - created_at) from orders",
      rating: 5,
      because: "The mean is right; the countries are missing.",
    },
    bad: {
      text: "select country, avg(now() - created_at) from orders group by country",
      rating: 1.8,
      because: "It measures how old orders are, not how long the delivery took.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "How much did we refund in October?",
    expected:
      "select sum(amount) from refunds where created_at >= date '2026-10-01' and created_at < date '2026-11-01'",
    good: {
      text: "select coalesce(sum(amount), 0) from refunds where created_at >= '2026-10-01' and created_at < '2026-11-01'",
      rating: 9.6,
      because: "The month is bounded on both sides, and an empty month gives 0.",
    },
    weak: {
      text: "select sum(amount) from refunds where extract(month from created_at) = 10",
      rating: 5.9,
      because: "It adds up every October there ever was.",
    },
    bad: {
      text: "update refunds set amount = 0 where created_at >= '2026-10-01'",
      rating: 0,
      because: "A question was asked, and the statement deletes the amounts. Only reading is allowed.",
    },
    guideline: "Only select statements are allowed.",
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "Which warehouse has the most late shipments?",
    expected:
      "select warehouse_id, count(*) from orders where shipped_at > promised_at group by warehouse_id order by count(*) desc limit 1",
    good: {
      text: "select w.name, count(*) as late from orders o join warehouses w on w.id = o.warehouse_id where o.shipped_at > o.promised_at group by w.name order by late desc limit 1",
      rating: 9.8,
      because: "Late is defined as in the reference, and the name is more useful than the id.",
    },
    weak: {
      text: "select warehouse_id, count(*) from orders where shipped_at > promised_at group by warehouse_id",
      rating: 6.4,
      because: "All warehouses instead of the one with the most.",
    },
    bad: {
      text: "select warehouse from shipments where late = true",
      rating: 1.2,
      because: "Neither the table shipments nor the column late exists.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "List products that nobody bought this year",
    expected:
      "select p.* from products p where not exists (select 1 from order_items i join orders o on o.id = i.order_id where i.product_id = p.id and o.created_at >= date_trunc('year', now()))",
    good: {
      text: "select p.id, p.name from products p left join (order_items i join orders o on o.id = i.order_id and o.created_at >= date_trunc('year', now())) on i.product_id = p.id where i.id is null",
      rating: 9.3,
      because: "The anti join keeps the year inside the join, where it belongs.",
    },
    weak: {
      text: "select name from products where id not in (select product_id from order_items)",
      rating: 5.2,
      because: "Products that were never bought at all; the year is missing.",
    },
    bad: {
      text: "select p.name from products p left join order_items i on i.product_id = p.id left join orders o on o.id = i.order_id where o.created_at < date_trunc('year', now())",
      rating: 2.4,
      because: "The filter on the outer side turns the left join into an inner one: it lists what was bought before.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "Median basket size in November",
    expected:
      "select percentile_cont(0.5) within group (order by total) from orders where created_at >= date '2026-11-01' and created_at < date '2026-12-01'",
    good: {
      text: "select percentile_cont(0.5) within group (order by total) from orders where created_at >= '2026-11-01' and created_at < '2026-12-01'",
      rating: 9.9,
      because: "Same as the reference.",
    },
    weak: {
      text: "select avg(total) from orders where created_at >= '2026-11-01' and created_at < '2026-12-01'",
      rating: 4.6,
      because: "The mean instead of the median; with a few large orders that is a difference.",
    },
    bad: {
      text: "select median(total) from orders",
      rating: 2.2,
      because: "PostgreSQL has no median(), and the month is missing.",
    },
    tools: ["describe_tables", "run_query"],
  },
  {
    query: "How many new customers did each campaign bring?",
    expected: "select campaign, count(*) from customers where campaign is not null group by campaign",
    good: {
      text: "select campaign, count(*) as new_customers from customers where campaign is not null group by campaign order by new_customers desc",
      rating: 9.6,
      because: "Customers without a campaign are left out, and the order helps.",
    },
    weak: {
      text: "select campaign, count(*) from orders group by campaign",
      rating: 4.5,
      because: "It counts orders. A customer with three orders counts three times.",
    },
    bad: {
      text: "select count(distinct campaign) from customers",
      rating: 2.7,
      because: "It counts campaigns instead of customers.",
    },
    tools: ["describe_tables", "run_query"],
  },
];
