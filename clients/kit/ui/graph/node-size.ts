/** Apart from the layout, which only its worker loads. */
export const nodeWidth = 190;
export const nodeHeight = 52;
