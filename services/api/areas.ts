/** A tag of the reference: its display name, what it adds to its module's description, and the chapter of docs/rules behind it. */
export interface Tag {
  title: string;
  more: string;
  chapter: string;
  heading: number;
}

/** A part of the back office: a group of the reference, and an address of its own for MCP clients. */
export interface Area {
  /** Last part of the address for MCP clients, such as `work` of `/mcp/work`. */
  key: string;
  title: string;
  /** One sentence. */
  about: string;
  tags: Readonly<Record<string, Tag>>;
}

const tag = (title: string, more: string, chapter: string, heading: number): Tag => ({ title, more, chapter, heading });

/** All areas and their tags, in the order of a working day: clients, people, work, money, sites, figures, then operation and administration. */
export const AREAS: readonly Area[] = [
  {
    key: "clients",
    title: "Clients",
    about: "Clients, contact persons and contact moments.",
    tags: {
      companies: tag("Clients", "With their numbers, groups, assignees and details for invoices.", "clients", 3),
      contacts: tag("Contacts", "A contact may belong to several clients.", "clients", 4),
      interactions: tag("Contact moments", "Imported mail can wait for its owner's review.", "workspace-reporting", 3),
      activity: tag("Trail", "Visible to everyone who can read the record.", "clients", 5),
    },
  },
  {
    key: "people",
    title: "People",
    about: "Leave and dossiers of the staff.",
    tags: {
      hr: tag("Dossiers", "Each dossier belongs to one member of the staff.", "people", 12),
      leave: tag("Leave", "Leave is counted in hours, on days of the organisation.", "people", 6),
    },
  },
  {
    key: "work",
    title: "Work",
    about: "Projects, tasks and hours.",
    tags: {
      projects: tag("Projects", "A project belongs to a client or is internal, and has a roster.", "work", 2),
      tasks: tag("Tasks", "Tasks may belong to a project or a client, repeat, and be planned.", "work", 3),
      time: tag("Hours", "Hours become work to bill and feed the budgets of projects.", "work", 4),
    },
  },
  {
    key: "money",
    title: "Money",
    about: "Invoices, quotes, payments and subscriptions.",
    tags: {
      invoicing: tag(
        "Invoices and quotes",
        "An invoice is a draft until it is issued; after that a credit note corrects it.",
        "money",
        4,
      ),
      subscriptions: tag("Subscriptions", "Each agreement is billed per period.", "money", 9),
      banking: tag("Bank statements", "A match books payments of invoices.", "banking", 4),
    },
  },
  {
    key: "sites",
    title: "Sites",
    about: "Domains, websites, hosting, DNS and monitoring.",
    tags: {
      domains: tag("Domains", "With renewal, registrar and the price of the extension.", "assets", 2),
      websites: tag("Websites", "With hosting, provider and the monitors that watch them.", "assets", 4),
      hosting: tag("Hosting", "Packages carry websites and have a yearly or monthly price.", "assets", 4),
      providers: tag("Providers", "Clients, domains and websites name the providers they use.", "assets", 1),
      registrar: tag("Registrar", "Domains are linked to the register here.", "assets", 10),
      edge: tag("DNS and redirects", "Zones are linked to domains here.", "assets", 7),
      uptime: tag("Monitoring", "Monitors are made on those servers and shown with the website.", "workspace-reporting", 5),
    },
  },
  {
    key: "marketing",
    title: "Marketing",
    about: "Figures, advertising and reports for clients.",
    tags: {
      marketing: tag("Marketing", "Figures are stored per day and compared by span.", "marketing-ads", 2),
      "ads-platform": tag("Advertising", "Writes have limits and can be switched off.", "marketing-ads", 3),
      reporting: tag("Reports", "A report presents figures of one client for two periods.", "workspace-reporting", 1),
    },
  },
  {
    key: "office",
    title: "Office",
    about: "Mail, calendar, files and notifications of a person.",
    tags: {
      workspace: tag("Mail, calendar and drive", "Members connect their own account.", "workspace-reporting", 2),
      files: tag("Files", "Everyone who can see the record can see its files.", "conventions", 18),
      addresslookup: tag("Address look-up", "Suggestions for address forms.", "clients", 6),
      notifications: tag("Notifications", "Preferences decide which event goes to which channel.", "platform", 5),
      nav: tag("Navigation", "Each person has a menu of their own.", "platform", 6),
      prefs: tag("Preferences", "Any JSON, by key.", "platform", 6),
    },
  },
  {
    key: "data",
    title: "Data and automation",
    about: "Custom fields, spreadsheets, bulk edits, rules and AI.",
    tags: {
      "custom-fields": tag("Custom fields", "Values are in `custom` of the record.", "platform", 4),
      bulk: tag("Bulk edits", "Each record is checked like a single change.", "platform", 3),
      impex: tag("Import and export", "An import is a dry run by default; it writes all rows or none.", "conventions", 22),
      deleted: tag("Deleted rows", "A copy reads them after the rows that changed.", "conventions", 10),
      automation: tag("Automation", "A rule has a trigger, conditions and actions.", "platform", 2),
      ai: tag("AI", "Each feature can be switched off, and budgets limit the spending.", "platform", 1),
      webhooks: tag("Webhooks", "*Webhook messages* describes each event.", "platform", 5),
      "webhook-messages": tag("Webhook messages", "What the service sends to the endpoints of webhooks.", "platform", 5),
    },
  },
  {
    key: "access",
    title: "Access",
    about: "Signing in, members, roles, keys and applications.",
    tags: {
      auth: tag("Sign-in", "Sessions are cookies; scripts use API keys instead.", "access", 1),
      users: tag("Own account", "Everyone reads and changes their own.", "access", 3),
      members: tag("Members", "Administrators invite, deactivate and remove them.", "access", 4),
      roles: tag("Roles", "System roles are fixed; copy one to change it.", "access", 5),
      permissions: tag("Permissions", "Roles and scopes of keys name its entries.", "access", 5),
      "api-keys": tag("API keys", "A key acts as its owner, within its scopes.", "access", 6),
      "service-accounts": tag("Service accounts", "They act for themselves, within the scopes of their keys.", "access", 7),
      oauth: tag("OAuth", "A person approves each application and its scopes.", "access", 8),
      portal: tag("Client logins", "A client login sees the records of its own clients only.", "access", 11),
    },
  },
  {
    key: "installation",
    title: "Installation",
    about: "Settings of the organisation, and the installation itself.",
    tags: {
      settings: tag("Settings", "They hold for every member.", "conventions", 22),
      meta: tag("Organisation and caller", "One call after sign-in answers them.", "conventions", 22),
      system: tag("Installation", "Only the operator reads and changes it.", "platform", 8),
      health: tag("Health", "For probes; no credential is needed.", "platform", 8),
      instance: tag("Instance", "Served on the host `admin` below the base domain alone.", "platform", 8),
    },
  },
];

const areas = new Map(AREAS.flatMap((area) => Object.keys(area.tags).map((name) => [name, area] as const)));

/** The area of a tag; null for one that no area lists, such as a custom module's. */
export const areaOf = (name: string): Area | null => areas.get(name) ?? null;
