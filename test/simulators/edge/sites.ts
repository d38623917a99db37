import { domainToUnicode } from "node:url";
import type { Account } from "cloudflare/resources/accounts/accounts";
import type { DomainListResponse } from "cloudflare/resources/pages/projects/domains";
import type { Project } from "cloudflare/resources/pages/projects/projects";
import { Misunderstood } from "../simulator.ts";
import { reported } from "./documented.ts";
import { bodyOf, type EdgePart, envelope, notFoundReply, refused } from "./envelope.ts";
import type { Listed } from "./paging.ts";
import { type EdgeState, type HostnameStatus, NO_ONE_KNOWS, type SimulatedAccount, type SimulatedProject } from "./state.ts";

/** The provider shows international names in Unicode. */
const spelt = (name: string): string => domainToUnicode(name) || name;
/** A hostname as stored, however a request spells it. */
const keptAs = (hostnames: ReadonlyMap<string, HostnameStatus>, asked: string): string =>
  [...hostnames.keys()].find((one) => spelt(one) === spelt(asked)) ?? asked;

const shownProject = ({ hostnames, hidesDomains, account: _, ...project }: SimulatedProject) =>
  reported<Project>()({
    ...project,
    ...(!hidesDomains && { domains: [project.subdomain, ...hostnames.keys()].map(spelt) }),
    created_on: NO_ONE_KNOWS,
    canonical_deployment: null,
    latest_deployment: null,
    deployment_configs: {},
    framework: "",
    framework_version: "",
    preview_script_name: `${project.name}-preview`,
    production_script_name: project.name,
    uses_functions: false,
  });
const shownHostname = (name: string, status: HostnameStatus) =>
  reported<DomainListResponse>()({
    id: `h-${name}`,
    name: spelt(name),
    status,
    certificate_authority: "google",
    created_on: NO_ONE_KNOWS,
    domain_id: `d-${name}`,
    validation_data: { method: "http", status: status === "blocked" ? "error" : status },
    verification_data: { status: status === "initializing" ? "pending" : status },
    zone_tag: "",
  });
const shownAccount = (account: SimulatedAccount) => reported<Account>()({ ...account, type: "standard" });

/** The provider's accounts, static sites and registered domains. */
export function accountParts(state: EdgeState, listed: Listed): EdgePart {
  return (request) => {
    const { method, parts } = request;
    const [first, accountId, area, kind, name, what, hostname] = parts;
    if (first !== "accounts") return null;
    if (accountId === undefined && method === "GET") return listed(request, state.accounts.map(shownAccount));
    if (!state.accounts.some(({ id }) => id === accountId)) return refused(403, 10000, "Authentication error");
    const path = `${area}/${kind}`;
    if (path === "registrar/domains" && method === "GET") {
      const own = state.registrations.filter(({ account }) => account === accountId);
      const reply = listed(
        request,
        own.map(({ fields }) => fields),
      );
      return own.some(({ deviates }) => deviates) ? { ...reply, deviates: true } : reply;
    }
    if (path !== "pages/projects") return null;
    const projects = state.projects.filter(({ account }) => account === accountId);
    if (name === undefined) return method === "GET" ? listed(request, projects.map(shownProject)) : null;
    const project = projects.find((one) => one.name === decodeURIComponent(name));
    if (!project) return notFoundReply(8000007, "Project not found.");
    if (what !== "domains") return null;
    const { hostnames } = project;
    if (hostname === undefined && method === "GET")
      return listed(
        request,
        [...hostnames].map(([one, status]) => shownHostname(one, status)),
      );
    if (hostname === undefined && method === "POST") {
      const { name: asked, ...more } = bodyOf(request);
      if (typeof asked !== "string" || Object.keys(more).length > 0) throw new Misunderstood("a hostname is added by its name");
      if (hostnames.has(keptAs(hostnames, asked))) return refused(409, 8000018, "You have already added this custom domain.");
      hostnames.set(asked, "initializing");
      return envelope(shownHostname(asked, "initializing"));
    }
    const host = keptAs(hostnames, decodeURIComponent(hostname ?? ""));
    if (!hostnames.has(host)) return notFoundReply(8000021, "The requested custom domain does not exist.");
    if (method === "GET") return envelope(shownHostname(host, hostnames.get(host) as HostnameStatus));
    if (method !== "DELETE") return null;
    hostnames.delete(host);
    return envelope(null);
  };
}
