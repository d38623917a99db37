import { exactly, Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A document of the register; any field may be missing, as in the real one. */
export type AddressDocument = Partial<Record<(typeof FIELDS)[number], unknown>>;

const FIELDS = ["straatnaam", "huis_nlt", "postcode", "woonplaatsnaam"] as const;
const PATH = "/bzk/locatieserver/search/v3_1/free";
const QUESTION = /^postcode:([1-9]\d{3}[A-Z]{2}) and huisnummer:(\d+)$/;

/** PDOK Locatieserver's `free` search over addresses: accepts one exact form of Solr query and returns Solr's response. */
export class AddressSimulator extends Simulator {
  #documents: { postalCode: string; number: string; document: AddressDocument }[] = [];

  /** Value of `SERVICE_ADDRESS_API_URL`. */
  get baseUrl(): string {
    return `${this.origin}/bzk/locatieserver/search/v3_1`;
  }

  /** Registers the documents found by a postal code and number, in this order. */
  register(postalCode: string, number: string, ...documents: AddressDocument[]): void {
    this.#documents.push(...documents.map((document) => ({ postalCode, number, document })));
  }

  override reset(): void {
    super.reset();
    this.#documents = [];
  }

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "GET" || path !== PATH) throw new Misunderstood("no such operation");
    if (body !== "") throw new Misunderstood("a GET has no body");
    const secret = ["authorization", "cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here: the service is public`);
    const { q, fq, fl, rows } = exactly(query, "q", "fq", "fl", "rows");
    const [, postalCode, number] = QUESTION.exec(q) ?? [];
    if (!postalCode) throw new Misunderstood(`q is '${q}'`);
    if (fq !== "type:adres") throw new Misunderstood(`fq is '${fq}'`);
    if (rows !== "5") throw new Misunderstood(`rows is '${rows}'`);
    const wanted = fl.split(" ");
    if (wanted.toSorted().join() !== FIELDS.toSorted().join()) throw new Misunderstood(`fl is '${fl}'`);
    const found = this.#documents.filter((one) => one.postalCode === postalCode && one.number === number);
    const docs = found.slice(0, Number(rows)).map(({ document }) => document);
    return { status: 200, body: { response: { numFound: found.length, start: 0, maxScore: 7.5, numFoundExact: true, docs } } };
  }
}
