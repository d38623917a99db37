import { type ModelAttributes, type ModelStatic, Sequelize, type Model as SequelizeModel, DataTypes as types } from "sequelize";
import { v7 as uuidv7 } from "uuid";
import { currentRequest } from "../request/context.ts";
import { joinTransaction } from "./transaction.ts";

/**
 * Sequelize's way into the running request: every model call takes part in the request's one transaction. There is no other
 * connection behind it, so a model used outside of a request finds nothing to talk to.
 */
const sharedTransaction = {
  bind: <T>(work: T): T => work,
  run: <T>(work: (context: object) => T): T => work({}),
  get(key: string): object | undefined {
    const store = key === "transaction" ? currentRequest() : undefined;
    if (!store) return undefined;
    return { id: store.requestId, connection: joinTransaction(store).connection, options: {} };
  },
};
Sequelize.useCLS(sharedTransaction);

/** The one Sequelize of this process. It owns the models and never opens a connection of its own. */
export const sequelize = new Sequelize({
  dialect: "postgres",
  logging: false,
  define: { timestamps: false, freezeTableName: true },
});
const manager = (sequelize as unknown as { connectionManager: { getConnection: () => Promise<never> } }).connectionManager;
manager.getConnection = () => Promise.reject(new Error("a model was used outside of a request"));

export type Model = ModelStatic<SequelizeModel>;
export { types };

/** The columns every tenant table has; `version` counts the states of a row and is its ETag. */
export const tenantColumns: ModelAttributes = {
  id: { type: types.UUID, primaryKey: true, defaultValue: newId },
  organisation_id: { type: types.UUID, allowNull: false, defaultValue: () => currentRequest()?.organisation.id },
  version: { type: types.INTEGER, allowNull: false, defaultValue: 1 },
  created_at: { type: types.DATE },
  updated_at: { type: types.DATE },
};

/** Defines a model of a tenant table: the shared columns plus its own. The table itself is made by a migration. */
export function tenantModel(table: string, columns: ModelAttributes): Model {
  return sequelize.define(table, { ...tenantColumns, ...columns }, { tableName: table });
}

/** A new row id: UUID version 7, so that neighbours in time are neighbours in the index. */
export function newId(): string {
  return uuidv7();
}
