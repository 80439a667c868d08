"""What every text of a model passes through on its way in: a model is not trusted either."""
