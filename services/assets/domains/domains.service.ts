import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, optional, page } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { domainFilters, domainListing, domainQuery, domainRows } from "./domain.list.ts";
import { DomainCreate, DomainRead, DomainUpdate } from "./domain-schemas.ts";
import { changeDomain, createDomain, removeDomain } from "./domain-writes.ts";
import { Domain } from "./models.ts";

/** The errors of unknown references in a body. */
const UNKNOWN = ["invalid_provider", "invalid_party", "conflict"] as const;

export default resource("domains", {
  model: Domain,
  actions: {
    list: action({
      rest: "GET /domains",
      summary: "List domains",
      description:
        "`invoiceable` filters by the resolved value: false lists domains registered elsewhere. `meta=false` omits data from other records: names, parties, prices and registers.",
      permission: "domains.domain.read",
      query: { ...listQuery(domainListing.spec.sorts), ...domainQuery, meta: optional(flag(true)) },
      returns: page(DomainRead),
      tool: {
        name: "find_domain",
        description: "Finds domains by a part of their name, of one client or of all; those that end first by `sort`.",
        inArea: true,
        takes: ["q", "company_id", "status", "sort", "limit", "offset"],
      },
      handler: (ctx) => domainRows.page(ctx.params, domainFilters(ctx.params)),
    }),

    create: action({
      rest: "POST /domains",
      summary: "Add a domain",
      description:
        "Of an address only the host counts, without `www.`. Without `next_invoice_date` it renews on the expiry date that its register reported, if that lies ahead, else on the next anniversary of `start_date`.",
      permission: "domains.domain.write",
      body: DomainCreate,
      example: {
        name: "bakkerij-de-korenaar.nl",
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        start_date: "2024-05-14",
        registrar_provider_id: "1b3db958-0c1e-4a5b-8d2f-1b3db9580001",
        email_enabled: true,
        email_contact: { type: "company" },
      },
      returns: DomainRead,
      errors: [...UNKNOWN, "not_found"],
      async handler(ctx) {
        return domainRows.answerWith(await createDomain(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /domains/:domain_id",
      summary: "Read one domain",
      permission: "domains.domain.read",
      returns: DomainRead,
      handler: (ctx) => domainRows.one(ctx.params.domain_id),
    }),

    update: action({
      rest: "PATCH /domains/:domain_id",
      summary: "Change a domain",
      description: "Without mail, e-mail provider and contact are null, whatever is sent.",
      permission: "domains.domain.write",
      body: DomainUpdate,
      example: { status: "redirect", redirect_url: "https://www.bakkerij-de-korenaar.example", invoiceable: true },
      returns: DomainRead,
      errors: UNKNOWN,
      async handler(ctx) {
        const id = ctx.params.domain_id;
        await changeDomain(await domainRows.forWrite(id), ctx.params.body);
        return domainRows.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /domains/:domain_id",
      summary: "Delete a domain",
      description: "Deletes its website, redirect and page links; zones and register rows stay, without a domain.",
      permission: "domains.domain.delete",
      async handler(ctx) {
        const id = ctx.params.domain_id;
        await domainRows.forWrite(id);
        await removeDomain(id);
      },
    }),
  },
});
