import type { Context } from "moleculer";
import { htmlPage } from "../../../core/declare/makers/html-page.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import type { PageMade } from "../../../core/pages/page.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { prepared } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { optional, type Static, Type } from "../../../core/schema/schema.ts";
import { isPayable } from "../../../mixins/payments/payable.ts";
import { service } from "../../../mixins/resource.ts";
import type { PublicInvoiceRead } from "../public/public-schemas.ts";
import { invoicePage, type ShownInvoice } from "./invoice-page.ts";
import { isUnderWay, type Payment, roundOf } from "./payment-state.ts";
import { accountOf, sellerOf } from "./seller.ts";

type Visit = Context<unknown, Meta>;

const query = { return: optional(Type.String()), round: optional(Type.String()) };
const OPEN = "the token of the link is the credential";
/** The schema does not limit its length, so that every wrong token gets the same answer. */
const token = Type.String();

/** The API's refusal of a payment, to show on the page; a missing invoice has its own page. @throws all other errors */
function refusedPayment(error: unknown): { code: string; status: number } {
  if (!isApiError(error) || error.code === 404 || error.code === 403 || error.code === 401) throw error;
  return { code: error.type, status: error.code };
}

type PublicInvoice = Static<typeof PublicInvoiceRead>;
const publicPayment = ({ payment_status, payment_settled, status }: PublicInvoice): Payment => ({
  status: payment_status,
  settled: payment_settled,
  invoiceStatus: status,
});

/** The payer's page of a public link. @throws 404 unless the link is live */
async function linkedPage(
  ctx: Visit,
  link: string,
  round: number | null,
  refused?: { code: string; status: number },
): Promise<PageMade> {
  const read = () => ctx.call<PublicInvoice, object>("invoicing.public.read", { token: link });
  let invoice = await read();
  if (round !== null && isUnderWay(publicPayment(invoice))) {
    await ctx.call("invoicing.public-payments.refresh", { token: link });
    invoice = await read();
  }
  const [path, document] = [`/invoice/${link}`, `/api/v1/invoicing/public/invoices/${link}`];
  const around = {
    seller: await sellerOf("invoice", "token", link),
    account: await accountOf("token", link),
    path,
    document,
    payment: publicPayment(invoice),
    round,
    today: organisationToday(),
  };
  return invoicePage(invoice, { ...around, ...(refused && { refused }) });
}

type StoredInvoice = Omit<ShownInvoice, "customer_name" | "payable"> & {
  online_payment: boolean;
  customer: { name?: string | null; trade_name?: string | null } | null;
};
type Attempt = { status: string; settled_at: string | null };

const PAY = "invoicing.payment.link";

/** The page of an invoice for signed-in visitors. @throws 404 for one the visitor does not see */
async function ownPage(
  ctx: Visit,
  invoice_id: string,
  round: number | null,
  refused?: { code: string; status: number },
): Promise<PageMade> {
  const read = async (): Promise<[StoredInvoice, Payment]> => {
    const invoice = await ctx.call<StoredInvoice, object>("invoicing.invoices.get", { invoice_id });
    const [newest] = await ctx.call<Attempt[], object>("invoicing.payment-intents.list", { invoice_id });
    return [
      invoice,
      { status: newest?.status ?? null, settled: (newest?.settled_at ?? null) !== null, invoiceStatus: invoice.status },
    ];
  };
  const mayPay = mayCaller(PAY);
  let [invoice, payment] = await read();
  if (round !== null && mayPay && isUnderWay(payment)) {
    await ctx.call("invoicing.payment-intents.refresh", { invoice_id });
    [invoice, payment] = await read();
  }
  const { customer, online_payment, ...shown } = invoice;
  return invoicePage(
    {
      ...shown,
      customer_name: customer?.trade_name || customer?.name || "",
      payable: isPayable(shown) && online_payment && mayPay,
    },
    {
      seller: await sellerOf("invoice", "id", invoice_id),
      account: await accountOf("id", invoice_id),
      path: `/invoices/${invoice_id}`,
      document: `/api/v1/invoicing/invoices/${invoice_id}`,
      payment,
      round,
      today: organisationToday(),
      ...(refused && { refused }),
    },
  );
}

/** The pages to read and pay an invoice (money §11, §12); they do nothing the API cannot. */
export default service("invoicing.invoice-pages", {
  actions: {
    linked: htmlPage({
      page: "GET /invoice/:token",
      summary: "The payer's page of an invoice",
      open: OPEN,
      needs: "nothing",
      path: { token },
      query,
      handler: (ctx) => linkedPage(ctx, ctx.params.token, roundOf(ctx.params)),
    }),

    payLinked: htmlPage({
      page: "POST /invoice/:token",
      summary: "Redirect from the payer's page to a checkout",
      open: OPEN,
      needs: "nothing",
      path: { token },
      acts: "outside",
      async prepare(ctx): Promise<PageMade> {
        const { token: link } = ctx.params;
        try {
          const made = await ctx.call<{ checkout_url: string }, object>("invoicing.public-payments.create", { token: link });
          return { location: made.checkout_url };
        } catch (error) {
          return linkedPage(ctx, link, null, refusedPayment(error));
        }
      },
      handler: () => prepared<PageMade>(),
    }),

    own: htmlPage({
      page: "GET /invoices/:invoice_id",
      summary: "Show the page of an invoice to a permitted reader",
      permission: "invoicing.invoice.read",
      query,
      handler: (ctx) => ownPage(ctx, ctx.params.invoice_id, roundOf(ctx.params)),
    }),

    payOwn: htmlPage({
      page: "POST /invoices/:invoice_id",
      summary: "Redirect from the page of an invoice to a checkout",
      permission: PAY,
      acts: "outside",
      async prepare(ctx): Promise<PageMade> {
        const { invoice_id } = ctx.params;
        try {
          const call = { invoice_id, body: {} };
          const made = await ctx.call<{ checkout_url: string | null }, object>("invoicing.payment-intents.create", call);
          if (made.checkout_url !== null) return { location: made.checkout_url };
          return ownPage(ctx, invoice_id, null, { code: "payment_provider_failed", status: 502 });
        } catch (error) {
          return ownPage(ctx, invoice_id, null, refusedPayment(error));
        }
      },
      handler: () => prepared<PageMade>(),
    }),
  },
});
