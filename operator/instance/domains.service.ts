import { runtime } from "../../core/config/runtime.ts";
import { notFound } from "../../core/errors/errors.ts";
import { service } from "../../mixins/resource.ts";
import { claimDomain, isProved, listDomains, type OrganisationDomain, proofOf, removeDomain } from "../domains.ts";
import { linkDomain, OperatorError } from "../organisations.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import { organisationOfCall } from "./found.ts";
import { DomainClaim, DomainList, DomainRead } from "./schemas/domains.ts";

const needs = "domains";

const shownDomain = (organisationId: string, domain: OrganisationDomain) => ({
  ...domain,
  proof: domain.verified_at === null ? proofOf(runtime().secret, organisationId, domain.hostname) : null,
});

/** The host names of organisations next to their address below the base domain. */
export default service("instance.domains", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/organisations/:organisation_id/domains",
      summary: "List the domains and claims of an organisation",
      needs,
      returns: DomainList,
      errors: ["not_found"],
      async handler({ client, caller, params: { organisation_id: id } }) {
        await organisationOfCall(client, caller, id);
        return (await listDomains(client, id)).map((domain) => shownDomain(id, domain));
      },
    }),

    claim: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/domains",
      summary: "Claim a domain for an organisation",
      description:
        "The organisation answers there once a TXT record proves the claim (`proof`), or at once with `is_trusted`, as by `domain link` of the command line.",
      needs,
      act: "organisation.domain_claimed",
      body: DomainClaim,
      returns: DomainRead,
      status: 201,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { baseDomain } = runtime().config;
        const { hostname, is_trusted: isTrusted = false } = body;
        if (isTrusted) {
          // A script for some organisations must not give them the hosts of others.
          requireUnlimited(caller);
          await linkDomain(client, id, hostname, baseDomain);
        }
        const domain = await claimDomain(client, id, hostname, baseDomain);
        note({ organisation, detail: { hostname: domain.hostname, is_trusted: isTrusted } });
        return shownDomain(id, domain);
      },
    }),

    check: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/domains/:instance_domain_id/check",
      summary: "Look for the TXT record of a claim, and link the domain if it is there",
      needs,
      act: "organisation.domain_checked",
      returns: DomainRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, instance_domain_id: domainId }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { config, secret } = runtime();
        const found = (await listDomains(client, id)).find((one) => one.id === domainId);
        if (!found) throw notFound();
        const { hostname } = found;
        if (found.verified_at === null) {
          if (!(await isProved(secret, config, id, hostname))) {
            const { name, value } = proofOf(secret, id, hostname);
            throw new OperatorError(`${name} has no TXT record '${value}' yet.`);
          }
          await linkDomain(client, id, hostname, config.baseDomain);
        }
        note({ organisation, detail: { hostname } });
        return shownDomain(id, await claimDomain(client, id, hostname, config.baseDomain));
      },
    }),

    remove: instanceAction({
      rest: "DELETE /instance/organisations/:organisation_id/domains/:instance_domain_id",
      summary: "Remove a domain or claim of an organisation",
      needs,
      act: "organisation.domain_removed",
      returns: null,
      errors: ["not_found"],
      async handler({ client, caller, params: { organisation_id: id, instance_domain_id: domainId }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const removed = await removeDomain(client, id, domainId);
        if (!removed) throw notFound();
        note({ organisation, detail: { hostname: removed.hostname } });
        return undefined;
      },
    }),
  },
});
