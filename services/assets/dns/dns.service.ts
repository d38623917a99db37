import { enqueue, queryOutside } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { prepared } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { LOOK_JOB, scheduleLooks } from "../domains/dns-looks.ts";
import { domainRows } from "../domains/domain.list.ts";
import { DomainRead } from "../domains/domain-schemas.ts";
import { lookAtAll } from "./daily-look.ts";
import { lookAtDue } from "./due-looks.ts";
import { type DueDomain, type Observed, observe, storeObservations } from "./observation.ts";

const SEEN = statement(`select d.id, d.name from domains d where d.organisation_id = $1 and d.id = $2
  and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))`);
const NOW_DUE = statement("update domains set dns_look_at = statement_timestamp() where organisation_id = $1 and id = $2");

/** Longer than any lookup; each has its own timeout. */
const LONGEST = 10_000;

/** Public DNS lookups of domains (assets §2.6). */
export default service("domains.dns", {
  actions: {
    refresh: action({
      rest: "POST /domains/:domain_id/refresh",
      summary: "Ask public DNS about a domain",
      description:
        "Name servers, DNSSEC and mail exchangers, each with a timeout of 5 seconds. A failed lookup leaves its own part empty, `dnssec` unknown.",
      permission: "domains.domain.write",
      returns: DomainRead,
      status: 200,
      errors: ["not_found"],
      async prepare(ctx): Promise<Observed> {
        const { organisation, principal } = ctx.meta;
        const found = await queryOutside<DueDomain>(SEEN, [organisation.id, ctx.params.domain_id, principal?.selection ?? null]);
        if (!found) throw notFound();
        return { ...found, ...(await observe(found.name, AbortSignal.timeout(LONGEST))) };
      },
      async handler(ctx) {
        const id = ctx.params.domain_id;
        await domainRows.forWrite(id);
        storeObservations([prepared<Observed>()]);
        return domainRows.answerWith(id);
      },
    }),
  },

  jobs: {
    [LOOK_JOB]: {
      about: "Looks up due domains in public DNS",
      module: "domains",
      handler: lookAtDue,
    },
    // Scheduled by the version before, one for each new domain.
    "domains.look-at-dns": job<{ domain_id: string }>({
      about: "Marks a domain that the version before created as due",
      module: "domains",
      handler: ({ organisation, payload, write }) =>
        write(async () => {
          enqueue(NOW_DUE, [organisation.id, payload.domain_id]);
          scheduleLooks(new Date());
        }),
    }),
    "domains.look-at-all-dns": {
      about: "Looks up all domains in public DNS",
      schedule: "30 4 * * *",
      worksOn: ["domains"],
      spread: 55,
      module: "domains",
      timeout: 3_600_000,
      concurrency: 1,
      handler: lookAtAll,
    },
  },
});
