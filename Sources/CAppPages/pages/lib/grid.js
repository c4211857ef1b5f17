// A grid of thousands of cells that has elements only for those near the view.
export {};
