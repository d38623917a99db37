import { createOrganisation, lendMail, linkDomain, listOrganisations, OperatorError } from "../../operator/organisations.ts";
import { type Command, columns, ORG } from "../command.ts";

export const organisationCommands: readonly Command[] = [
  {
    name: "org create",
    about: "Create an organisation with its four system roles",
    arguments: [{ name: "slug", about: "Its address is <slug>.<base domain>: 1 to 63 of a-z, 0-9 and -" }],
    options: { name: { value: "NAME", about: "Its name; the slug if omitted" } },
    async run(call) {
      const slug = call.need("slug");
      const organisation = await createOrganisation(call.client, { slug, name: call.text("name") ?? slug });
      const hostname = `${slug}.${call.config.baseDomain}`;
      return {
        json: { id: organisation.id, slug, name: organisation.name, hostname },
        text: [`Organisation ${slug} (${organisation.id}) answers at ${hostname}.`],
      };
    },
  },
  {
    name: "org list",
    about: "List the organisations",
    async run({ client, config }) {
      const all = await listOrganisations(client);
      return {
        json: all.map(({ id, slug, name, status, enabledModules }) => ({
          id,
          slug,
          name,
          status,
          hostname: `${slug}.${config.baseDomain}`,
          enabled_modules: enabledModules,
        })),
        text: columns(all.map(({ id, slug, status, name }) => [slug, id, status, name])),
      };
    },
  },
  {
    name: "org mail",
    about: "Include an organisation in the instance's mail transport, or leave it out",
    arguments: [{ name: "state", about: "on or off; every organisation begins with on" }],
    options: { org: ORG },
    async run(call) {
      const organisation = await call.organisation();
      const state = call.need("state");
      if (state !== "on" && state !== "off") throw new OperatorError(`'${state}' is neither on nor off.`);
      await lendMail(call.client, organisation.id, state === "on");
      return {
        json: { organisation: organisation.slug, instance_mail: state === "on" },
        text: [`Organisation ${organisation.slug} ${state === "on" ? "may use" : "may not use"} the instance's mail transport.`],
      };
    },
  },
  {
    name: "domain link",
    about: "Serve an organisation at its own host name, as a verified domain",
    arguments: [{ name: "hostname", about: "The host name, without scheme and port" }],
    options: { org: ORG },
    async run(call) {
      const organisation = await call.organisation();
      const hostname = call.need("hostname").toLowerCase();
      const id = await linkDomain(call.client, organisation.id, hostname, call.config.baseDomain);
      return {
        json: { id, hostname, organisation: organisation.slug },
        text: [`${hostname} (${id}) is linked to ${organisation.slug}.`],
      };
    },
  },
];
