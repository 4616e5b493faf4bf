/** The generated OpenAPI document, as `GET /openapi.json` serves it. */
export const openApiFile = new URL("../golden/openapi.v1.json", import.meta.url);
