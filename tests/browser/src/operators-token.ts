/** The operator's token of the installation with the sample project. */
export const operatorsToken = "the-token-of-the-operator-0123456789";
