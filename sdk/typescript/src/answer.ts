/** An answer with what its headers say. */
export interface WithResponse<T> {
  data: T;
  response: Response;
  requestId: string | undefined;
  etag: string | undefined;
  /** Whether a write had been done before, and this is its stored answer. */
  replayed: boolean;
}

/** A call on its way: await it for its result, or `withResponse()` for the headers too. */
export class Answer<T> implements PromiseLike<T> {
  readonly #begin: () => Promise<WithResponse<T>>;
  #begun: Promise<WithResponse<T>> | undefined;
  constructor(begin: () => Promise<WithResponse<T>>) {
    this.#begin = begin;
  }
  /** Starts the call, once. */
  withResponse(): Promise<WithResponse<T>> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }
  // biome-ignore lint/suspicious/noThenProperty: it is a promise, whose result can also be read in other ways
  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(done, failed);
  }
  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, failed);
  }
  finally(done?: (() => void) | null): Promise<T> {
    return this.then().finally(done);
  }
}
