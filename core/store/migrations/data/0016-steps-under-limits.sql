update step set limit_key = 'step acme nightly' where limit_key is null;
