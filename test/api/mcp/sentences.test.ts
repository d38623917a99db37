import { expect } from "chai";
import { operationsOf } from "../../../services/api/mcp/operations.ts";
import { ranked } from "../../../services/api/mcp/search.ts";
import { Routes } from "../../../services/api/routes.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { sharedService, type TestService } from "../../support/service.ts";

oneProcess("changes actors while the node runs");

/** What people ask for, each with the operations that answer it. */
const SENTENCES: readonly [string, ...string[]][] = [
  ["create a task", "POST /tasks"],
  ["mark a task as done", "PATCH /tasks/:task_id"],
  ["what do I have to do today", "GET /tasks/mine", "GET /tasks/dashboard-mine"],
  ["my tasks", "GET /tasks/mine", "GET /tasks/dashboard-mine"],
  ["assign a task to a colleague", "PATCH /tasks/:task_id"],
  ["comment on a task", "POST /tasks/:task_id/comments"],
  ["add a checklist to a task", "POST /tasks/:task_id/checklists"],
  ["send an invoice by e-mail", "POST /invoicing/invoices/:invoice_id/send"],
  ["create an invoice", "POST /invoicing/invoices"],
  ["invoice the hours of a client", "POST /invoicing/invoices/from-time"],
  ["which invoices are overdue", "GET /invoicing/invoices", "GET /invoicing/summary"],
  ["unpaid invoices", "GET /invoicing/invoices"],
  ["register a payment", "POST /invoicing/invoices/:invoice_id/payments"],
  ["send a payment reminder", "POST /invoicing/invoices/:invoice_id/remind"],
  ["how much did we earn", "GET /invoicing/summary", "GET /time/stats/revenue", "GET /invoicing/reports/revenue"],
  ["make a quote", "POST /invoicing/quotes"],
  ["turn a quote into an invoice", "POST /invoicing/quotes/:quote_id/convert"],
  ["log a phone call", "POST /interactions"],
  ["log two hours on a project", "POST /time/entries"],
  ["start a timer", "POST /time/timer/start"],
  ["stop the timer", "POST /time/timer/stop"],
  ["how many hours did the team work", "GET /time/stats/team-summary", "GET /time/report", "GET /time/logged"],
  ["plan a day off", "POST /leave/requests"],
  ["how many vacation days do I have left", "GET /leave/balance", "GET /leave/summary"],
  ["who is away next week", "GET /leave/team"],
  ["approve a leave request", "POST /leave/requests/:request_id/decide"],
  ["add a new client", "POST /companies"],
  ["find a client", "GET /companies"],
  ["change the address of a client", "PATCH /companies/:company_id"],
  ["add a contact person", "POST /contacts"],
  ["which websites are down", "GET /uptime/monitors", "GET /uptime/monitors/:monitor_id/incidents"],
  ["list the domains", "GET /domains"],
  ["change the DNS record of a domain", "PATCH /edge/zones/:zone_id/dns/:record_id"],
  ["redirect a domain", "PUT /edge/domains/:domain_id/redirect"],
  ["how many visitors did the website have", "GET /marketing/companies/:company_id/metrics", "GET /marketing/overview"],
  ["make the monthly report of a client", "POST /reporting/reports/generate"],
  ["invite an employee", "POST /members/invite"],
  ["pause a campaign", "PATCH /ads-platform/accounts/:account_id/campaigns/:campaign_id"],
  ["create an automation rule", "POST /automation/rules"],
  ["raise the prices of subscriptions", "POST /subscriptions/price-increase", "POST /subscriptions/price-increase/preview"],
  ["maak een taak aan", "POST /tasks"],
  ["mijn taken", "GET /tasks/mine", "GET /tasks/dashboard-mine"],
  ["zet een taak op klaar", "PATCH /tasks/:task_id"],
  ["nieuwe klant toevoegen", "POST /companies"],
  ["zoek een klant", "GET /companies"],
  ["welke facturen zijn niet betaald", "GET /invoicing/invoices"],
  ["verstuur een factuur", "POST /invoicing/invoices/:invoice_id/send"],
  ["stuur een herinnering voor een factuur", "POST /invoicing/invoices/:invoice_id/remind"],
  ["betaling registreren", "POST /invoicing/invoices/:invoice_id/payments"],
  ["offerte maken", "POST /invoicing/quotes"],
  ["uren schrijven", "POST /time/entries"],
  ["start de timer", "POST /time/timer/start"],
  ["verlof aanvragen", "POST /leave/requests"],
  ["hoeveel vakantiedagen heb ik nog", "GET /leave/balance", "GET /leave/summary"],
  ["wie is er vrij volgende week", "GET /leave/team"],
  ["noteer een telefoongesprek", "POST /interactions"],
  ["welke websites liggen eruit", "GET /uptime/monitors", "GET /uptime/monitors/:monitor_id/incidents"],
  ["wat is onze omzet", "GET /invoicing/summary", "GET /time/stats/revenue", "GET /invoicing/reports/revenue"],
  ["nodig een collega uit", "POST /members/invite"],
  ["rapport van een klant versturen", "POST /reporting/reports/:report_id/send"],
  ["show all projects", "GET /projects"],
  ["delete a contact", "DELETE /contacts/:contact_id"],
  ["book 3 hours on a task", "POST /time/entries"],
  ["what did we invoice this year", "GET /invoicing/summary", "GET /invoicing/invoices"],
  ["accept a quote", "POST /invoicing/quotes/:quote_id/accept"],
  ["export invoice to bookkeeping", "POST /invoicing/invoices/:invoice_id/export"],
  ["give a member another role", "PUT /members/:membership_id/roles"],
  ["my unread notifications", "GET /notifications/unread-count", "GET /notifications"],
  ["apply a task template to a client", "POST /tasks/templates/:template_id/apply"],
  ["search my mail", "GET /workspace/mail/search"],
  ["what is in my calendar", "GET /workspace/calendar/events"],
  ["klant verwijderen", "DELETE /companies/:company_id"],
  ["project aanmaken", "POST /projects"],
  ["welke uren zijn nog niet gefactureerd", "GET /invoicing/uninvoiced", "GET /invoicing/unbilled", "GET /invoicing/outstanding"],
  ["dns record toevoegen", "POST /edge/zones/:zone_id/dns"],
  ["welke domeinen heeft een klant", "GET /domains"],
  ["prijzen verhogen", "POST /subscriptions/price-increase", "POST /domains/tld-prices/price-increase"],
  ["campagne pauzeren", "PATCH /ads-platform/accounts/:account_id/campaigns/:campaign_id"],
  ["ziek melden", "POST /leave/requests"],
  ["mijn verlofsaldo", "GET /leave/balance", "GET /leave/summary"],
  ["how much VAT do I owe", "GET /invoicing/reports/vat"],
  ["btw-aangifte", "GET /invoicing/reports/vat"],
  ["who owes us money", "GET /invoicing/reports/aged"],
];

/** Sentences whose operation must be among the first two. */
const FOUND = 79;

describe("the search of operations, asked as people ask", () => {
  let service: TestService;
  let operations: ReturnType<typeof operationsOf>;
  before(async () => {
    service = await sharedService();
    const routes = new Routes();
    routes.rebuild(service.node.broker);
    operations = operationsOf(routes.all);
  });
  after(() => service.stop());

  it(`has the wanted operation among the first two for ${FOUND} of ${SENTENCES.length} sentences`, () => {
    const all = [...operations.values()];
    const roads = new Set(all.map(({ route }) => route.declaration.rest));
    const missed = SENTENCES.flatMap(([sentence, ...wanted]) => {
      for (const road of wanted) expect(roads.has(road), road).to.equal(true);
      const first = ranked(all, sentence).map(({ route }) => String(route.declaration.rest));
      const place = first.findIndex((road) => wanted.includes(road));
      return place === 0 || place === 1 ? [] : [`${sentence}: ${place + 1}, behind ${first.slice(0, 3).join(", ")}`];
    });
    expect(missed.length, missed.join("\n")).to.be.at.most(SENTENCES.length - FOUND);
  });
});
