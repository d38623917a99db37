import type { DefineReferences } from "../../test/support/lists/answers.ts";

/** A string in the format of a sealed secret; no list opens it. */
const SEALED = "v1.00000000.0";

/**
 * Reference results for the lists of endpoints and deliveries. The filtered deliveries have the id of the owner's account as their
 * endpoint's. Only tests load this.
 */
const references: DefineReferences = ({ moment, creation, insert, beginning, text, both }) => [
  {
    path: "/webhooks/endpoints",
    table: "webhook_endpoints",
    async fill(sql, organisation, _callers, rows, seeded) {
      const made = Array.from({ length: rows }, () => ({
        name: beginning(seeded),
        url: "https://hooks.example/",
        events: ["company.created"],
        secret: SEALED,
        created_at: creation(seeded),
        updated_at: moment(seeded),
      }));
      const types = "name text, url text, events text[], secret sealed, created_at timestamptz, updated_at timestamptz";
      await insert(sql, "webhook_endpoints", types, made, organisation);
    },
    fields: [],
    terms: [],
    orders: () => ({
      name: `${text("t.name")}, t.id`,
      "-name": `${text("t.name")} desc, t.id desc`,
      ...both({ created_at: "t.created_at" }, `${text("t.name")}, t.id`),
    }),
    filters: () => [],
  },
  {
    path: "/webhooks/deliveries",
    table: "webhook_deliveries",
    async fill(sql, organisation, { owner }, rows, seeded) {
      const { random, pick, weighed } = seeded;
      const others = Array.from({ length: 20 }, () => crypto.randomUUID());
      const made = Array.from({ length: rows }, () => {
        const status = weighed([
          ["delivered", 0.9],
          ["failed", 0.08],
          ["pending", 0.02],
        ]);
        return {
          endpoint_id: random() < 0.1 ? owner.accountId : pick(others),
          event_id: crypto.randomUUID(),
          event: pick(["company.created", "company.status_changed", "task.created"]),
          entity_type: "company",
          entity_id: owner.accountId,
          payload: {},
          status,
          next_attempt_at: status === "pending" ? "2026-01-01T00:00:00Z" : null,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        };
      });
      const types =
        "endpoint_id uuid, event_id uuid, event text, entity_type text, entity_id uuid, payload jsonb, status text, next_attempt_at timestamptz, created_at timestamptz, updated_at timestamptz";
      await insert(sql, "webhook_deliveries", types, made, organisation);
    },
    fields: [],
    terms: [],
    orders: () => ({ created_at: "t.created_at, t.id", "-created_at": "t.created_at desc, t.id desc" }),
    filters: ({ owner }) => [
      [`&endpoint_id=${owner.accountId}`, `t.endpoint_id = '${owner.accountId}'`],
      ["&status=pending", "t.status = 'pending'"],
      ["&status=failed", "t.status = 'failed'"],
      ["&event=task.created", "t.event = 'task.created'"],
    ],
  },
];
export default references;
