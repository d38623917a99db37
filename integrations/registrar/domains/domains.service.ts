import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { optional, page, type Static, uuid } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { RegistrarDomain } from "../models.ts";
import { RegistrarFailure, type RegistrationDetail } from "../provider.ts";
import { ASKING_ERRORS, askedAt, type DomainAtRegistrar, heldIn, placeOf, refusedBy } from "./domain-place.ts";
import { storeFound } from "./found-registration.ts";
import { issuesOf } from "./issues.ts";
import { RegistrarDomainRead, RegistrarDomainStatusRead } from "./registration-schemas.ts";
import { registrationFilters, registrationQuery, registrationSorts, registrations } from "./registrations.ts";

/** The state of a domain at its registrar, from stored data. */
async function statusOf(domainId: string): Promise<Static<typeof RegistrarDomainStatusRead>> {
  const domain = await placeOf(domainId);
  const registration = heldIn(domain) ?? domain.registrations[0] ?? null;
  const { accounts, nameservers } = domain;
  const known = registration && {
    ...registration,
    registry_status: registration.status,
    ns_push_status: registration.push_status,
    ns_observed: registration.nameservers,
  };
  return {
    domain_id: domain.id,
    domain_name: domain.label,
    registration,
    elsewhere: domain.registrations.filter((one) => one !== registration),
    public_nameservers: nameservers,
    nameservers_checked_at: domain.dns_checked_at,
    issues: issuesOf({ accounts, registration: known, publicNameservers: nameservers, today: organisationToday() }),
  };
}

/** Asks the registrar about one domain. @throws 409, 502 */
async function found({ registrar, access, split, account }: DomainAtRegistrar): Promise<RegistrationDetail> {
  const detail = await registrar.find(access, split).catch(async (error: unknown) => {
    throw error instanceof RegistrarFailure ? await refusedBy(error, account) : error;
  });
  if (!detail) throw refusal("registrar_domain_not_in_register");
  return detail;
}

interface Refreshed {
  asked: DomainAtRegistrar;
  detail: RegistrationDetail;
}

/** The domains registrars hold, as last reported (assets §10.4). */
export default resource("registrar.domains", {
  model: RegistrarDomain,
  actions: {
    list: action({
      rest: "GET /registrar/domains",
      summary: "List the domains in the registers",
      description: "From the last sync; does not call the registrar. Domains no longer listed have the status `gone`.",
      permission: "registrar.registrar.sync",
      query: { ...listQuery(registrationSorts), ...registrationQuery },
      returns: page(RegistrarDomainRead),
      handler: ({ params: { q, account_id, linked, ...asked } }) =>
        registrations.page(asked, registrationFilters({ q, account_id, linked })),
    }),

    status: action({
      rest: "GET /registrar/domains/:domain_id/status",
      summary: "Read the status of a domain at its registrar",
      description: "From stored data; does not call the registrar.",
      permission: "registrar.registrar.sync",
      returns: RegistrarDomainStatusRead,
      handler: ({ params: { domain_id: id } }) => statusOf(id),
    }),

    refresh: action({
      rest: "POST /registrar/domains/:domain_id/refresh",
      summary: "Ask the registrar about one domain",
      description: "Reads and stores its state, name servers, DNSSEC and registrant.",
      permission: "registrar.registrar.sync",
      query: { account_id: optional(uuid()) },
      returns: RegistrarDomainStatusRead,
      status: 200,
      errors: [
        ...ASKING_ERRORS,
        "registrar_credential_rejected",
        "registrar_domain_not_in_register",
        "registrar_request_failed",
        "registrar_unreachable",
      ],
      async prepare({ params: { domain_id, account_id } }): Promise<Refreshed> {
        const asked = await askedAt(domain_id, account_id);
        return { asked, detail: await found(asked) };
      },
      handler({ params: { domain_id: id } }) {
        const { asked, detail } = prepared<Refreshed>();
        storeFound(asked.account.id, asked.domain, detail);
        return statusOf(id);
      },
    }),
  },
});
