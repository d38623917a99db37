import { expect } from "chai";
import { ConfigurationError } from "../../../core/config/config.ts";
import { selectActors } from "../../../operator/actor-patterns.ts";

const ACTORS = [
  { name: "api", file: "services/api/api.service.ts" },
  { name: "companies", file: "services/clients/companies/companies.service.ts" },
  { name: "companies.groups", file: "services/clients/companies/groups.service.ts" },
  { name: "companies-other", file: "services/other/other.service.ts" },
  { name: "invoicing.invoices", file: "services/money/documents/invoices.service.ts" },
  { name: "invoicing.impex", file: "services/money/sheets/impex.service.ts" },
  { name: "edge.zones", file: "integrations/edge/zones/zones.service.ts" },
  { name: "mail", file: "integrations/mail/mail.service.ts" },
];
const named = (...patterns: string[]) => selectActors(patterns, ACTORS).map(({ name }) => name);

describe("the patterns of a node's actors", () => {
  for (const [patterns, expected] of [
    [["companies"], ["companies", "companies.groups"]],
    [["companies.*"], ["companies", "companies.groups"]],
    [["companies.groups"], ["companies.groups"]],
    [
      ["api", "companies.*"],
      ["api", "companies", "companies.groups"],
    ],
    [["*.impex"], ["invoicing.impex"]],
    [["money"], ["invoicing.invoices", "invoicing.impex"]],
    [["services/money"], ["invoicing.invoices", "invoicing.impex"]],
    [["integrations"], ["edge.zones", "mail"]],
    [["edge"], ["edge.zones"]],
    [["none"], []],
    [["!api"], ACTORS.map(({ name }) => name).filter((name) => name !== "api")],
    [["money", "!*.impex"], ["invoicing.invoices"]],
    [
      ["!integrations", "!money", "!api"],
      ["companies", "companies.groups", "companies-other"],
    ],
  ] as const)
    it(`${patterns.join(" ")} means ${expected.join(", ")}`, () => expect(named(...patterns)).to.deep.equal(expected));

  for (const [patterns, sentence] of [
    [["compnies"], "No actor or module is called 'compnies': see docs/operating.md."],
    [["api", "!leave.*"], "No actor or module is called 'leave.*': see docs/operating.md."],
    [["edge", "!integrations"], "The patterns edge !integrations leave no actor for this node."],
  ] as const)
    it(`${patterns.join(" ")} is refused`, () => expect(() => named(...patterns)).to.throw(ConfigurationError, sentence));
});
